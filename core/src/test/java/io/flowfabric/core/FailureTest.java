package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FailureTest {

    @Test
    void the_categories_are_the_words_of_the_original() {
        assertThat(Failure.TRANSIENT).isEqualTo("transient");
        assertThat(Failure.PERMANENT).isEqualTo("permanent");
        assertThat(Failure.INFRA_CRASH).isEqualTo("infra_crash");
        assertThat(Failure.TIMEOUT).isEqualTo("timeout");
        assertThat(Failure.CANCELLED).isEqualTo("cancelled");
    }

    @Test
    void a_short_one_has_no_detail() {
        assertThat(Failure.of("mine", "it broke")).isEqualTo(new Failure("mine", "it broke", ""));
    }

    @Test
    void the_message_is_mended_and_cut_instead_of_refused() {
        var failure = Failure.of(Failure.TRANSIENT, "\0\uD800" + "x".repeat(5_000));

        assertThat(failure.message()).isEqualTo("\uFFFD\uFFFD" + "x".repeat(4096 - 6));
        assertThat(Failure.of(Failure.TRANSIENT, "").message()).isEmpty();
    }

    @Test
    void the_detail_is_mended_and_cut_instead_of_refused() {
        var failure = new Failure(Failure.TRANSIENT, "", "line 1\n\tline 2\0" + "x".repeat(70_000));

        assertThat(failure.detail()).startsWith("line 1\n\tline 2\uFFFDx");
        assertThat(Text.utf8Length(failure.detail())).isEqualTo(64 * 1024);
    }

    @Test
    void a_message_of_exactly_its_limit_is_kept_whole() {
        var message = longest(Limit.MESSAGE_BYTES);
        var detail = longest(Limit.FAILURE_DETAIL_BYTES);

        assertThat(new Failure("mine", message, detail))
                .isEqualTo(new Failure("mine", message + "x", detail + "x"));
    }

    @Test
    void the_category_is_a_name_because_a_policy_decides_by_it() {
        assertThat(Failure.of(longest(Limit.NAME_BYTES), "").category()).hasSize(256);
        assertRefused(Invalid.Code.EMPTY, "failure category", () -> Failure.of("", ""));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "failure category",
                () -> Failure.of(tooLong(Limit.NAME_BYTES), ""));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "failure category", () -> Failure.of("a\tb", ""));
    }
}
