package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.Stream;

class LaneTest {
    private static final Namespace SHOP = new Namespace("shop");

    @Test
    void it_is_written_as_namespace_and_name() {
        assertThat(new Lane(SHOP, "emails")).hasToString("shop/emails");
        assertThat(Lane.of("emails")).hasToString("default/emails");
        assertThat(Lane.DEFAULT).hasToString("default/default");
    }

    @Test
    void a_name_has_1_to_64_characters() {
        var longest = longest(Limit.LANE_BYTES);

        assertThat(Lane.of(longest).name()).isEqualTo(longest);
        assertRefused(Invalid.Code.EMPTY, "lane", () -> Lane.of(""));
        assertRefused(Invalid.Code.TOO_LONG, "lane", () -> Lane.of(tooLong(Limit.LANE_BYTES)));
    }

    @ParameterizedTest
    @ValueSource(strings = {" ", "~", "a b", "A-Z_0.9/:*"})
    void all_of_printable_ascii_is_accepted(String name) {
        assertThat(Lane.of(name).name()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u001F", "\u007F", "\u0080", "\u00A0", "é", "\uD83E\uDDAD", "\uD800"})
    void anything_else_is_refused(String name) {
        assertRefused(Invalid.Code.NOT_PRINTABLE, "lane", () -> Lane.of(name));
    }

    @Test
    void lanes_are_ordered_by_namespace_and_then_by_name() {
        var first = new Lane(new Namespace("a"), "z");
        var second = new Lane(new Namespace("b"), "a");
        var third = new Lane(new Namespace("b"), "b");

        assertThat(Stream.of(third, second, first).sorted()).containsExactly(first, second, third);
        assertThat(first.compareTo(new Lane(new Namespace("a"), "z"))).isZero();
    }
}
