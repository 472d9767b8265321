package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.nio.ReadOnlyBufferException;

class PayloadTest {
    private static final byte[] BYTES = {0, 1, -1, 127, -128};

    @Test
    void the_bytes_that_come_out_are_the_bytes_that_went_in() {
        var payload = Payload.of(BYTES, "application/x-thing");

        assertThat(payload.bytes()).isEqualTo(BYTES);
        assertThat(payload.size()).isEqualTo(5);
        assertThat(payload.contentType()).isEqualTo("application/x-thing");
    }

    @Test
    void changing_what_was_given_changes_nothing() {
        var given = BYTES.clone();
        var payload = Payload.of(given, "application/x-thing");

        given[0] = 99;

        assertThat(payload.bytes()).isEqualTo(BYTES);
    }

    @Test
    void changing_what_was_handed_out_changes_nothing() {
        var payload = Payload.of(BYTES, "application/x-thing");

        payload.bytes()[0] = 99;

        assertThat(payload.bytes()).isEqualTo(BYTES);
    }

    @Test
    void the_view_is_for_reading_only_and_starts_anew_each_time() {
        var payload = Payload.of(BYTES, "application/x-thing");
        var view = payload.view();
        var read = new byte[view.remaining()];
        view.get(read);

        assertThat(read).isEqualTo(BYTES);
        assertThat(view.isReadOnly()).isTrue();
        assertThatThrownBy(() -> payload.view().put((byte) 1))
                .isInstanceOf(ReadOnlyBufferException.class);
        assertThat(payload.view().remaining()).isEqualTo(5);
    }

    @Test
    void text_travels_as_utf_8() {
        var payload = Payload.text("Grüße");

        assertThat(payload.size()).isEqualTo(7);
        assertThat(payload.contentType()).isEqualTo("text/plain; charset=utf-8");
        assertThat(payload.asText()).isEqualTo("Grüße");
    }

    @Test
    void empty_has_no_bytes() {
        assertThat(Payload.EMPTY.size()).isZero();
        assertThat(Payload.EMPTY.contentType()).isEqualTo("application/octet-stream");
    }

    @Test
    void two_are_equal_when_bytes_and_type_are() {
        var payload = Payload.of(BYTES, "a/b");

        assertThat(payload).isEqualTo(Payload.of(BYTES, "a/b"));
        assertThat(payload).hasSameHashCodeAs(Payload.of(BYTES, "a/b"));
        assertThat(payload).isNotEqualTo(Payload.of(BYTES, "a/c"));
        assertThat(payload).isNotEqualTo(Payload.of(new byte[] {0}, "a/b"));
        assertThat(payload).isNotEqualTo("a/b");
    }

    @Test
    void the_hash_depends_on_bytes_and_type() {
        assertThat(Payload.of(BYTES, "a/b")).doesNotHaveSameHashCodeAs(Payload.of(BYTES, "a/c"));
        assertThat(Payload.of(BYTES, "a/b"))
                .doesNotHaveSameHashCodeAs(Payload.of(new byte[] {0}, "a/b"));
    }

    @Test
    void its_text_shows_no_bytes() {
        assertThat(Payload.text("secret")).hasToString("6 bytes of text/plain; charset=utf-8");
    }

    @Test
    void a_content_type_is_a_name() {
        var longest = longest(Limit.NAME_BYTES);

        assertThat(Payload.of(BYTES, longest).contentType()).isEqualTo(longest);
        assertRefused(Invalid.Code.EMPTY, "content type", () -> Payload.of(BYTES, ""));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "content type",
                () -> Payload.of(BYTES, tooLong(Limit.NAME_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "content type", () -> Payload.of(BYTES, "a\n"));
    }
}
