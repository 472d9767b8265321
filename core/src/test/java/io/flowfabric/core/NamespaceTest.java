package io.flowfabric.core;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.stream.Stream;

class NamespaceTest {

    @Test
    void it_is_written_as_its_name() {
        assertThat(new Namespace("shop")).hasToString("shop");
        assertThat(Namespace.DEFAULT).hasToString("default");
    }

    @Test
    void it_is_a_name_in_any_language() {
        assertThat(new Namespace("Größe 7").name()).isEqualTo("Größe 7");
        assertThat(new Namespace(longest(Limit.NAME_BYTES)).name()).hasSize(256);
        assertRefused(Invalid.Code.EMPTY, "namespace", () -> new Namespace(""));
        assertRefused(
                Invalid.Code.TOO_LONG, "namespace", () -> new Namespace(tooLong(Limit.NAME_BYTES)));
        assertRefused(Invalid.Code.NOT_PRINTABLE, "namespace", () -> new Namespace("a\0"));
    }

    @Test
    void they_are_ordered_by_name() {
        var a = new Namespace("a");
        var b = new Namespace("b");

        assertThat(Stream.of(b, a).sorted()).containsExactly(a, b);
        assertThat(a.compareTo(new Namespace("a"))).isZero();
    }
}
