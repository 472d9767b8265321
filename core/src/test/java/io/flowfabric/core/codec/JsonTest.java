package io.flowfabric.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonNull;
import io.flowfabric.core.codec.Json.JsonNumber;
import io.flowfabric.core.codec.Json.JsonObject;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Random;

class JsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "true",
                "false",
                "0",
                "-0",
                "12",
                "-1.5",
                "1e9",
                "1E+9",
                "0.25e-3",
                "123456789012345678901234567890",
                "\"\"",
                "\"a b\"",
                "\"\\\"\\\\\\n\\r\\t\\u0000\\u001f\"",
                "\"\u00e9\u20ac\ud83d\ude00/\"",
                "\"\\ud83d\"",
                "[]",
                "[1,[2,[]],{}]",
                "{}",
                "{\"a\":1,\"b\":{\"c\":[true,null]},\"\":\"\"}"
            })
    void a_text_that_was_read_is_written_as_it_was(String text) {
        assertThat(Json.parse(text)).hasToString(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "nul",
                "True",
                "01",
                "+1",
                ".5",
                "1.",
                "1e",
                "1e+",
                "-",
                "NaN",
                "0x10",
                "1 2",
                "\"",
                "\"\\",
                "\"\\x\"",
                "\"\\u12\"",
                "\"\\u12g4\"",
                "\"\n\"",
                "'a'",
                "[",
                "[1",
                "[1,]",
                "[,1]",
                "[1 2]",
                "[1.]",
                "[1e]",
                "[1e-]",
                "[-]",
                "]",
                "{",
                "{a:1}",
                "{\"a\"}",
                "{\"a\" 1}",
                "{\"a\":}",
                "{\"a\":1,}",
                "{\"a\":1,\"a\":2}",
                "{\"a\":null,\"a\":2}",
                "{}x",
                "\u00a01"
            })
    void what_is_no_json_is_refused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> Json.parse(text));
    }

    @Test
    void space_between_the_parts_means_nothing() {
        assertThat(Json.parse(" { \"a\" :\t[ 1 ,\r\n2 ] , \"b\" : 3 } "))
                .hasToString("{\"a\":[1,2],\"b\":3}");
        assertThat(Json.parse("[ { } , [ ] ]")).hasToString("[{},[]]");
    }

    @Test
    void escapes_are_what_they_stand_for() {
        assertThat(Json.parse("\"\\/\\b\\f\\u00E9\\u20ac\\uD83d\\ude00\"").asString())
                .isEqualTo("/\b\f\u00e9\u20ac\ud83d\ude00");
    }

    @Test
    void depth_and_length_are_bounded() {
        int deepest = Json.MAX_DEPTH;
        assertThat(Json.parse("[".repeat(deepest) + "]".repeat(deepest))).isNotNull();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.parse("[".repeat(deepest + 1) + "]".repeat(deepest + 1)))
                .withMessageContaining("deeper");
        assertThat(Json.parse("[" + "[],".repeat(1000) + "[]]").asList()).hasSize(1001);
        assertThat(Json.parse("[" + "{},".repeat(1000) + "{}]").asList()).hasSize(1001);
        assertThat(Json.parse(" ".repeat(Json.MAX_CHARS - 1) + "1")).hasToString("1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.parse(" ".repeat(Json.MAX_CHARS) + "1"))
                .withMessageContaining("longer");
        assertThat(Json.parse("9".repeat(Json.MAX_DIGITS))).isInstanceOf(JsonNumber.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Json.parse("9".repeat(Json.MAX_DIGITS + 1)))
                .withMessageContaining("longer");
    }

    @Test
    void values_are_read_as_what_they_are_and_as_nothing_else() {
        assertThat(Json.parse("9223372036854775807").asLong()).isEqualTo(Long.MAX_VALUE);
        assertThat(Json.parse("1.5e3").asLong()).isEqualTo(1500);
        assertThat(Json.parse("-2147483648").asInt()).isEqualTo(Integer.MIN_VALUE);
        assertThat(Json.parse("0.1").asDouble()).isEqualTo(0.1);
        assertThat(Json.parse("true").asBoolean()).isTrue();
        assertThat(Json.parse("false").asBoolean()).isFalse();
        assertThat(Json.ofStrings(List.of("a", "b"))).isEqualTo(Json.parse("[\"a\",\"b\"]"));
        assertThat(Json.parse("[\"a\",\"b\"]").asList(Json::asString)).containsExactly("a", "b");

        for (var wrong : List.of("9223372036854775808", "1.5", "1e999999999", "1e-999999999")) {
            assertThatIllegalArgumentException().isThrownBy(() -> Json.parse(wrong).asLong());
        }
        assertThatIllegalArgumentException().isThrownBy(() -> Json.parse("2147483648").asInt());
        var string = Json.of("x");
        assertThatIllegalArgumentException().isThrownBy(string::asObject);
        assertThatIllegalArgumentException().isThrownBy(string::asList);
        assertThatIllegalArgumentException().isThrownBy(string::asLong);
        assertThatIllegalArgumentException().isThrownBy(string::asDouble);
        assertThatIllegalArgumentException().isThrownBy(string::asBoolean);
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(1).asString());
        assertThatIllegalArgumentException().isThrownBy(() -> Json.parseObject("[]"));
        assertThatIllegalArgumentException().isThrownBy(() -> Json.of(Double.NaN));
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonNumber("01"));
        assertThatIllegalArgumentException().isThrownBy(() -> new JsonNumber(""));
    }

    @Test
    void a_missing_field_and_a_null_one_are_the_same() {
        var object = Json.parseObject("{\"a\":1,\"b\":null}");

        assertThat(object.get("a", Json::asInt)).contains(1);
        assertThat(object.get("b", Json::asInt)).isEmpty();
        assertThat(object.get("c", Json::asInt)).isEmpty();
        assertThat(object.<Integer>require("a", Json::asInt)).isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> object.require("b", Json::asInt))
                .withMessageContaining("field b is missing");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> object.require("a", Json::asString))
                .withMessageContaining("field a cannot be read");
    }

    @Test
    void a_change_leaves_the_fields_that_nobody_here_knows() {
        var newer = "{\"new\":{\"deep\":[1.50]},\"weight\":1,\"newer\":null}";

        assertThat(Json.parseObject(newer).with("weight", Json.of(2)))
                .hasToString("{\"new\":{\"deep\":[1.50]},\"weight\":2,\"newer\":null}");
        assertThat(Json.parseObject(newer).with("b", Optional.of(true), Json::of).without("new"))
                .hasToString("{\"weight\":1,\"newer\":null,\"b\":true}");
        assertThat(Json.parseObject(newer).with("new", Optional.<Long>empty(), Json::of))
                .hasToString("{\"weight\":1,\"newer\":null}");
        assertThat(Json.parseObject(newer).withAll(JsonObject.EMPTY.with("weight", Json.of("w"))))
                .hasToString("{\"new\":{\"deep\":[1.50]},\"weight\":\"w\",\"newer\":null}");
    }

    @Test
    void a_value_does_not_change_with_what_it_was_made_of() {
        var fields = new LinkedHashMap<String, Json>();
        var object = new JsonObject(fields);
        fields.put("a", JsonNull.NULL);
        assertThat(object).isEqualTo(JsonObject.EMPTY);

        var items = new ArrayList<Json>();
        var array = new JsonArray(items);
        items.add(JsonNull.NULL);
        assertThat(array.items()).isEmpty();
    }

    @Test
    void whatever_is_written_is_read_as_the_same() {
        var random = new Random(11);
        for (int i = 0; i < 2000; i++) {
            var value = any(random, 4);
            assertThat(Json.parse(value.toString())).isEqualTo(value);
        }
    }

    private static Json any(Random random, int depth) {
        return switch (random.nextInt(depth == 0 ? 5 : 7)) {
            case 0 -> JsonNull.NULL;
            case 1 -> Json.of(random.nextBoolean());
            case 2 -> Json.of(random.nextLong() >> random.nextInt(64));
            case 3 -> Json.of(random.nextGaussian() * Math.pow(10, random.nextInt(40) - 20));
            case 4 -> Json.of(text(random));
            case 5 -> {
                var items = new ArrayList<Json>();
                for (int i = random.nextInt(4); i > 0; i--) {
                    items.add(any(random, depth - 1));
                }
                yield new JsonArray(items);
            }
            default -> {
                var object = JsonObject.EMPTY;
                for (int i = random.nextInt(4); i > 0; i--) {
                    object = object.with(text(random), any(random, depth - 1));
                }
                yield object;
            }
        };
    }

    /** Text with everything in it, broken surrogates too. */
    private static String text(Random random) {
        var text = new StringBuilder();
        for (int i = random.nextInt(6); i > 0; i--) {
            text.append(
                    (char)
                            switch (random.nextInt(3)) {
                                case 0 -> random.nextInt(128);
                                case 1 -> 0xD7F0 + random.nextInt(0x900);
                                default -> random.nextInt(0x10000);
                            });
        }
        return text.toString();
    }
}
