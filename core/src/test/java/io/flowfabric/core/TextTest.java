package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.IntStream;

class TextTest {
    private static final String WALRUS = "\uD83E\uDDAD";

    @Test
    void a_name_comes_back_as_it_is() {
        assertThat(Text.name("kind", "Grüße " + WALRUS, Limit.NAME_BYTES))
                .isEqualTo("Grüße " + WALRUS);
    }

    @Test
    void a_name_is_not_empty_but_a_line_may_be() {
        assertRefused(Invalid.Code.EMPTY, "kind", () -> Text.name("kind", "", Limit.NAME_BYTES));
        assertThat(Text.line("creator", "", Limit.NAME_BYTES)).isEmpty();
    }

    @Test
    void a_text_may_be_as_long_as_its_limit_and_no_longer() {
        var longest = longest(Limit.NAME_BYTES);

        assertThat(Text.name("kind", longest, Limit.NAME_BYTES)).isEqualTo(longest);
        assertRefused(
                Invalid.Code.TOO_LONG,
                "kind",
                () -> Text.name("kind", tooLong(Limit.NAME_BYTES), Limit.NAME_BYTES));
    }

    @Test
    void the_limit_counts_bytes_and_not_characters() {
        var longest = "é".repeat(128);

        assertThat(Text.line("creator", longest, Limit.NAME_BYTES)).isEqualTo(longest);
        assertRefused(
                Invalid.Code.TOO_LONG,
                "creator",
                () -> Text.line("creator", longest + "x", Limit.NAME_BYTES));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "creator",
                () -> Text.line("creator", "é".repeat(129), Limit.NAME_BYTES));
    }

    static IntStream control_characters() {
        return IntStream.concat(IntStream.rangeClosed(0, 0x1F), IntStream.rangeClosed(0x7F, 0x9F));
    }

    @ParameterizedTest
    @MethodSource("control_characters")
    void a_control_character_is_refused(int control) {
        assertRefused(
                Invalid.Code.NOT_PRINTABLE,
                "kind",
                () -> Text.name("kind", "a" + Character.toString(control), Limit.NAME_BYTES));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\uD800",
                "\uDBFF",
                "\uDC00",
                "\uDFFF",
                "a\uD83E",
                "\uDDADa",
                "\uDDAD\uD83E"
            })
    void half_a_character_is_refused(String broken) {
        assertRefused(
                Invalid.Code.NOT_PRINTABLE,
                "kind",
                () -> Text.name("kind", broken, Limit.NAME_BYTES));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {" ", "~", "\u00A0", "\u3042", "\uD7FF", "\uE000", "\uFFFF", "\uD83E\uDDAD"})
    void every_other_character_is_accepted(String text) {
        assertThat(Text.name("kind", text, Limit.NAME_BYTES)).isEqualTo(text);
    }

    @Test
    void the_refusal_names_the_character_and_its_position() {
        assertThatThrownBy(() -> Text.name("kind", WALRUS + "a\u0007b", Limit.NAME_BYTES))
                .hasMessage("kind: The character U+0007 at position 3 cannot be used.");
    }

    @Test
    void the_refusal_of_a_long_text_names_the_limit_and_does_not_repeat_the_text() {
        assertThatThrownBy(() -> Text.line("creator", "x".repeat(1 << 20), Limit.NAME_BYTES))
                .hasMessage("creator: It is longer than the 256 bytes that are accepted.");
    }

    @Test
    void a_message_is_kept_as_it_is_when_it_can_be() {
        var message = "two\n\tlines, Grüße " + WALRUS + " \uD7FF\uE000\u0001\u007F";

        assertThat(Text.mended(message, Limit.MESSAGE_BYTES)).isEqualTo(message);
        assertThat(Text.mended("", Limit.MESSAGE_BYTES)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "\0|\uFFFD",
                "a\0b|a\uFFFDb",
                "\uD800|\uFFFD",
                "a\uDBFF|a\uFFFD",
                "\uDC00b|\uFFFDb",
                "\uDFFF\uD800|\uFFFD\uFFFD"
            })
    void what_no_store_can_keep_is_replaced(String message, String mended) {
        assertThat(Text.mended(message, Limit.MESSAGE_BYTES)).isEqualTo(mended);
    }

    @ParameterizedTest
    @CsvSource({
        "0x7F, 4096",
        "0x80, 2048",
        "0x7FF, 2048",
        "0x800, 1365",
        "0xFFFF, 1365",
        "0x10000, 1024",
        "0x10FFFF, 1024",
        // Half a character and NUL become the replacement character, which takes three bytes.
        "0xD800, 1365",
        "0, 1365"
    })
    void a_long_message_is_cut_between_two_characters(String point, int fitting) {
        var character = Character.toString(Integer.decode(point));

        for (int count : new int[] {fitting - 1, fitting, fitting + 1, fitting * 2}) {
            var mended = Text.mended(character.repeat(count), Limit.MESSAGE_BYTES);
            assertThat(mended.codePoints().count())
                    .as("%d times U+%s", count, point)
                    .isEqualTo(Math.min(count, fitting));
            assertThat(Text.utf8Length(mended)).isLessThanOrEqualTo(4096);
        }
    }

    @Test
    void nothing_follows_the_first_character_that_does_not_fit() {
        assertThat(Text.mended("x".repeat(4094) + "€y", Limit.MESSAGE_BYTES))
                .isEqualTo("x".repeat(4094));
    }

    @Test
    void mending_what_was_mended_changes_nothing() {
        var once = Text.mended(("\0" + WALRUS).repeat(5_000), Limit.FAILURE_DETAIL_BYTES);

        assertThat(Text.mended(once, Limit.FAILURE_DETAIL_BYTES)).isEqualTo(once);
    }

    @Test
    void the_length_is_that_of_utf_8() {
        assertThat(Text.utf8Length("aé€" + WALRUS)).isEqualTo(1 + 2 + 3 + 4);
    }
}
