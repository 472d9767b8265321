package io.flowfabric.core;

import static io.flowfabric.core.Cursor.Purpose.FEED;
import static io.flowfabric.core.Cursor.Purpose.LISTING;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

class CursorTest {
    private static final byte[] POSITION = ByteBuffer.allocate(8).putLong(12345).array();

    // Written down by a program in another language: cursors outlive the process that made them.
    @Test
    void it_is_version_purpose_position_and_checksum_in_base64() {
        assertThat(Cursor.at(FEED, new byte[0])).hasToString("AWZl9A");
        assertThat(Cursor.at(LISTING, new byte[0])).hasToString("AWzEvg");
        assertThat(Cursor.at(FEED, POSITION)).hasToString("AWYAAAAAAAAwOTWi");
        assertThat(Cursor.at(LISTING, new byte[] {-1, -2})).hasToString("AWz__s81");
    }

    @ParameterizedTest
    @EnumSource
    void the_position_that_comes_out_is_the_position_that_went_in(Cursor.Purpose purpose) {
        var cursor = Cursor.at(purpose, POSITION);

        assertThat(new Cursor(cursor.text())).isEqualTo(cursor);
        assertThat(cursor.position(purpose)).isEqualTo(POSITION);
        assertThat(Cursor.at(purpose, new byte[0]).position(purpose)).isEmpty();
    }

    @Test
    void one_kind_is_never_read_as_the_other() {
        assertMalformed(() -> Cursor.at(FEED, POSITION).position(LISTING));
        assertMalformed(() -> Cursor.at(LISTING, POSITION).position(FEED));
    }

    @Test
    void start_now_and_end_are_three_cursors_without_a_position() {
        for (var cursor : List.of(Cursor.START, Cursor.NOW, Cursor.END)) {
            assertThat(new Cursor(cursor.text())).isEqualTo(cursor);
            assertMalformed(() -> cursor.position(FEED));
            assertMalformed(() -> cursor.position(LISTING));
        }
        assertThat(List.of(Cursor.START, Cursor.NOW, Cursor.END))
                .extracting(Cursor::text)
                .containsExactly("start", "now", "end");
    }

    @Test
    void a_word_where_it_means_nothing_is_refused_with_those_that_do() {
        assertThatThrownBy(() -> Cursor.END.position(FEED))
                .hasMessage(
                        "cursor: end is no place that a feed can go on from; begin again with"
                                + " start or now.");
        assertThatThrownBy(() -> Cursor.NOW.position(LISTING))
                .hasMessage(
                        "cursor: now is no place that a listing can go on from; begin again with"
                                + " start.");
    }

    @Test
    void every_single_character_counts() {
        var alphabet =
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=+/ %\n\u00E9";
        var text = Cursor.at(FEED, POSITION).text();
        for (int i = 0; i < text.length(); i++) {
            for (int n = 0; n < alphabet.length(); n++) {
                var altered = text.substring(0, i) + alphabet.charAt(n) + text.substring(i + 1);
                if (!altered.equals(text)) {
                    assertMalformed(() -> new Cursor(altered));
                }
            }
        }
    }

    @Test
    void a_cut_or_extended_cursor_is_refused() {
        var text = Cursor.at(FEED, POSITION).text();
        for (int length = 1; length < text.length(); length++) {
            var start = text.substring(0, length);
            var end = text.substring(length);
            assertMalformed(() -> new Cursor(start));
            assertMalformed(() -> new Cursor(end));
        }
        assertMalformed(() -> new Cursor(text + "A"));
        assertMalformed(() -> new Cursor("A" + text));
        assertMalformed(() -> new Cursor(text + "AAAA"));
        assertMalformed(() -> new Cursor(text + text));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // A version that is not ours, with a checksum that fits.
                "AmYwpw",
                // The right bytes in other spellings: padded, with stray bits, in the other
                // alphabet.
                "AWZl9A==",
                "AWZl9A=",
                "AWZl9B",
                "AWz//s81",
                " AWZl9A",
                "AWZl9A\n",
                "AWZl9A\uD83E",
                "",
                "null",
                "START",
                "0",
                "=",
                "\uD800"
            })
    void what_no_store_can_have_made_is_refused(String text) {
        assertMalformed(() -> new Cursor(text));
    }

    @Test
    void a_purpose_that_nobody_has_is_refused_when_the_position_is_read() {
        var cursor = new Cursor("AXgBAk7L");

        assertMalformed(() -> cursor.position(FEED));
        assertMalformed(() -> cursor.position(LISTING));
    }

    @Test
    void a_text_of_4096_characters_is_still_read() {
        var longest = Cursor.at(FEED, new byte[3068]);

        assertThat(longest.text()).hasSize(4096);
        assertThat(longest.position(FEED)).hasSize(3068);
        assertMalformed(() -> Cursor.at(FEED, new byte[3069]));
        assertMalformed(() -> new Cursor("A".repeat(1 << 20)));
    }

    @Test
    void changing_what_was_handed_out_changes_nothing() {
        var cursor = Cursor.at(FEED, POSITION);

        cursor.position(FEED)[0] = 99;

        assertThat(cursor.position(FEED)).isEqualTo(POSITION);
    }

    @Test
    void a_refusal_says_how_to_go_on() {
        assertThat(Cursor.malformed())
                .hasMessage(
                        "cursor: It is not one that was given out here; begin again with start, or"
                                + " with now in a feed.");
        assertThat(Cursor.expired())
                .hasMessage(
                        "cursor: What came after it is no longer kept; read the current state, then"
                                + " go on from now.");
        assertThat(Cursor.expired().code()).isEqualTo(Invalid.Code.CURSOR_EXPIRED);
        assertThat(Cursor.expired().field()).isEqualTo("cursor");
        assertThat(Cursor.restored())
                .hasMessage(
                        "cursor: The log was restored from a copy since it was given out, so"
                                + " it is not known what came after it; read the current state,"
                                + " then go on from now, or read everything that is kept again"
                                + " from start.");
        assertThat(Cursor.restored().code()).isEqualTo(Invalid.Code.CURSOR_RESTORED);
        assertThat(Cursor.restored().field()).isEqualTo("cursor");
    }

    @Test
    void the_text_can_stand_in_an_address_as_it_is() {
        var cursor = Cursor.at(LISTING, "any position".getBytes(StandardCharsets.UTF_8));

        assertThat(cursor.text()).matches("[A-Za-z0-9_-]+");
        assertThat(Base64.getUrlDecoder().decode(cursor.text())).startsWith(1, 'l');
    }

    private static void assertMalformed(ThrowingCallable call) {
        assertRefused(Invalid.Code.MALFORMED_CURSOR, "cursor", call);
    }
}
