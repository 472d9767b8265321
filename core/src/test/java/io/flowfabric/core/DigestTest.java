package io.flowfabric.core;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.SplittableRandom;

class DigestTest {

    // Computed with Python's hashlib over four bytes of length, big-endian, and the field.
    @Test
    void it_is_sha_256_over_fields_that_carry_their_length() {
        assertThat(Digest.of("").done().hex())
                .isEqualTo("df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119");
        assertThat(Digest.of("abc").done().hex())
                .isEqualTo("d04b72a650ce0f8ce4963330a53ee2832733d2baeffff3c1d8e256cca096d120");
        assertThat(
                        Digest.of("greeting")
                                .text("grüße")
                                .number(-2)
                                .payload(Payload.text("hi"))
                                .done()
                                .hex())
                .isEqualTo("c1c116e60ff11b5a093354309d66b57fb348ab47e2ec96e2144fcec40d332fe3");
    }

    @Test
    void no_two_ways_to_split_a_text_into_fields_share_a_digest() {
        var seen = new HashMap<Digest, List<String>>();
        for (var fields : splits("abcde", 5)) {
            var digest = Digest.of("test");
            fields.forEach(digest::text);

            assertThat(seen.put(digest.done(), fields)).as("%s", fields).isNull();
        }
        assertThat(seen).hasSizeGreaterThan(100);
    }

    @Test
    void random_contents_share_a_digest_only_when_they_are_equal() {
        long seed = 4242;
        var random = new SplittableRandom(seed);
        var seen = new HashMap<Digest, List<String>>();
        for (int i = 0; i < 20_000; i++) {
            var fields = new ArrayList<String>();
            for (int n = random.nextInt(4); n > 0; n--) {
                // Few different characters, among them those that lengths are made of.
                fields.add(
                        "\0\1ab"
                                .repeat(2)
                                .substring(random.nextInt(5))
                                .substring(0, random.nextInt(4)));
            }
            var digest = Digest.of("test");
            fields.forEach(digest::text);

            var before = seen.putIfAbsent(digest.done(), fields);
            assertThat(before).as("seed %d", seed).isIn(null, fields);
        }
    }

    @Test
    void the_purpose_keeps_requests_apart() {
        assertThat(Digest.of("cancel").text("x").done())
                .isNotEqualTo(Digest.of("delay").text("x").done());
    }

    @Test
    void type_and_bytes_of_a_payload_both_count() {
        var digest = Digest.of("test").payload(Payload.of(new byte[] {1}, "a/b")).done();

        assertThat(Digest.of("test").payload(Payload.of(new byte[] {1}, "a/b")).done())
                .isEqualTo(digest);
        assertThat(Digest.of("test").payload(Payload.of(new byte[] {2}, "a/b")).done())
                .isNotEqualTo(digest);
        assertThat(Digest.of("test").payload(Payload.of(new byte[] {1}, "a/c")).done())
                .isNotEqualTo(digest);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b8111",
                "df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b811190",
                "DF3F619804A92FDB4057192DC43DD748EA778ADC52BC498CE80524C014B81119",
                "gf3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119",
                "/f3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119",
                ":f3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119",
                "`f3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b81119",
                " df3f619804a92fdb4057192dc43dd748ea778adc52bc498ce80524c014b8111"
            })
    void it_is_64_lower_case_hexadecimal_digits(String text) {
        assertRefused(Invalid.Code.MALFORMED_ID, "digest", () -> new Digest(text));
    }

    @Test
    void every_hexadecimal_digit_is_accepted() {
        var text = "0123456789abcdef".repeat(4);

        assertThat(new Digest(text).hex()).isEqualTo(text);
    }

    /** Every list of at most so many fields, empty ones included, that reads as the text. */
    private static List<List<String>> splits(String text, int fields) {
        var splits = new ArrayList<List<String>>();
        splits.add(List.of(text));
        if (fields > 1) {
            for (int cut = 0; cut <= text.length(); cut++) {
                var first = text.substring(0, cut);
                for (var rest : splits(text.substring(cut), fields - 1)) {
                    var split = new ArrayList<String>();
                    split.add(first);
                    split.addAll(rest);
                    splits.add(split);
                }
            }
        }
        return splits;
    }
}
