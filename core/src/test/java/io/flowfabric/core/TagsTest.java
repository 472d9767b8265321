package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

class TagsTest {

    @ParameterizedTest
    @ValueSource(
            strings = {"a", "customer", "shop.order_id", "a1_.0.b_2", "a.b.c.d", "ff", "ffx.a"})
    void a_key_is_lower_case_words_joined_by_dots(String key) {
        assertThat(Tags.of(Map.of(key, "value")).values()).containsExactly(Map.entry(key, "value"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A", "a.B", "1", "_", "_a", ".", ".a", "a.", "a..b", "a-b", "a b", "a.é", "é",
                "ff.", "ff.kind"
            })
    void other_keys_are_refused(String key) {
        assertRefused(
                Invalid.Code.MALFORMED_TAG_KEY, "tag " + key, () -> Tags.of(Map.of(key, "value")));
    }

    @Test
    void a_key_keeps_the_rules_of_a_name() {
        var longest = longest(Limit.TAG_KEY_BYTES);

        assertThat(Tags.NONE.with(longest, "").values()).containsKey(longest);
        assertRefused(Invalid.Code.EMPTY, "tag key", () -> Tags.NONE.with("", "value"));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "tag key",
                () -> Tags.NONE.with(tooLong(Limit.TAG_KEY_BYTES), "value"));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "tag key", () -> Tags.NONE.with("a\n", "value"));
    }

    @Test
    void a_value_is_a_line_and_may_be_empty() {
        var longest = longest(Limit.TAG_VALUE_BYTES);

        assertThat(Tags.NONE.with("a", longest).values()).containsValue(longest);
        assertThat(Tags.NONE.with("a", "").values()).containsEntry("a", "");
        assertRefused(
                Invalid.Code.TOO_LONG,
                "tag a",
                () -> Tags.NONE.with("a", tooLong(Limit.TAG_VALUE_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "tag a", () -> Tags.NONE.with("a", "two\nlines"));
    }

    @Test
    void there_may_be_32_and_no_more() {
        var values = new HashMap<String, String>();
        for (int i = 0; i < 32; i++) {
            values.put("tag" + i, "");
        }

        var full = Tags.of(values);
        assertThat(full.values()).hasSize(32);
        assertThat(full.with("tag0", "other").values()).hasSize(32);
        assertRefused(Invalid.Code.TOO_MANY, "tags", () -> full.with("tag32", ""));
    }

    @Test
    void one_more_replaces_the_earlier_value_and_leaves_the_original_alone() {
        var before = Tags.NONE.with("a", "1").with("b", "2");
        var after = before.with("a", "3");

        assertThat(after.values()).containsExactly(Map.entry("a", "3"), Map.entry("b", "2"));
        assertThat(before.values()).containsExactly(Map.entry("a", "1"), Map.entry("b", "2"));
        assertThat(Tags.NONE.values()).isEmpty();
    }

    @Test
    void the_order_in_which_they_were_given_does_not_matter() {
        var oneWay = Tags.NONE.with("a", "1").with("b", "2");
        var otherWay = Tags.NONE.with("b", "2").with("a", "1");

        assertThat(oneWay).isEqualTo(otherWay).hasSameHashCodeAs(otherWay);
        assertThat(otherWay.values().keySet()).containsExactly("a", "b");
    }

    @Test
    void nobody_can_change_them() {
        var given = new TreeMap<>(Map.of("a", "1"));
        var tags = new Tags(given);
        given.put("B!", "2");

        assertThat(tags.values()).containsExactly(Map.entry("a", "1"));
        assertThatThrownBy(() -> tags.values().put("b", "2"))
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void the_order_of_a_map_that_is_sorted_otherwise_does_not_matter() {
        var backwards = new TreeMap<String, String>(Comparator.reverseOrder());
        backwards.putAll(Map.of("a", "1", "b", "2"));

        assertThat(new Tags(backwards).values().keySet()).containsExactly("a", "b");
    }
}
