package io.flowfabric.core.lease;

import static io.flowfabric.core.Examples.FENCE;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OTHER_FENCE;
import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.payload;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;

import org.junit.jupiter.api.Test;

class CheckpointTest {
    private static final Payload PAID = Payload.of(new byte[] {1, 2, 3}, "a/b");

    @Test
    void the_name_of_a_step_keeps_the_rules_of_names() {
        var longest = longest(Limit.NAME_BYTES);
        assertThat(new Checkpoint(FENCE, longest, PAID).name()).isEqualTo(longest);
        assertThat(new Step(longest, PAID, 0, NOON).name()).isEqualTo(longest);

        assertNoName(Invalid.Code.EMPTY, "");
        assertNoName(Invalid.Code.TOO_LONG, tooLong(Limit.NAME_BYTES));
        assertNoName(Invalid.Code.NOT_PRINTABLE, "pay\n");
        assertNoName(Invalid.Code.NOT_PRINTABLE, "\uD800");
    }

    private static void assertNoName(Invalid.Code code, String name) {
        assertRefused(code, "step", () -> new Checkpoint(FENCE, name, PAID));
        assertRefused(code, "step", () -> new Step(name, PAID, 0, NOON));
    }

    @Test
    void a_step_may_take_256_kibibytes_and_no_more() {
        assertThat(new Checkpoint(FENCE, "pay", payload(256 << 10)).content().size())
                .isEqualTo(262_144);
        assertRefused(
                Invalid.Code.TOO_LARGE,
                "step",
                () -> new Checkpoint(FENCE, "pay", payload((256 << 10) + 1)));
    }

    @Test
    void a_step_is_as_large_as_its_name_its_content_type_and_its_content() {
        assertThat(new Checkpoint(FENCE, "p\u00E4y", PAID).bytes()).isEqualTo(4 + 3 + 3);
        assertThat(new Step("p\u00E4y", PAID, 0, NOON).bytes()).isEqualTo(4 + 3 + 3);
    }

    @Test
    void a_repeat_is_told_by_the_content_alone() {
        var digest = new Checkpoint(FENCE, "pay", PAID).digest();

        assertThat(new Checkpoint(OTHER_FENCE, "pay", PAID).digest()).isEqualTo(digest);
        assertThat(new Checkpoint(FENCE, "pay", Payload.of(PAID.bytes(), "a/c")).digest())
                .isNotEqualTo(digest);
        assertThat(new Checkpoint(FENCE, "pay", Payload.of(new byte[] {1, 2}, "a/b")).digest())
                .isNotEqualTo(digest);
    }
}
