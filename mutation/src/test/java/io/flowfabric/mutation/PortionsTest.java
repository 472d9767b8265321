package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.mutation.Coverage.Covering;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

class PortionsTest {
    @Test
    void a_few_tests_are_asked_first_and_then_all_quick_ones() {
        var tests = IntStream.range(0, 100).mapToObj(n -> test("test " + n, n)).toList();

        assertThat(Portions.of(tests))
                .containsExactly(tests.subList(0, 6), tests.subList(6, 46), tests.subList(46, 100));
    }

    @Test
    void slow_tests_are_asked_one_by_one_as_long_as_there_is_time() {
        var quick = test("quick", 2_000);
        var slow = test("slow", 2_001);
        var slower = test("slower", 50_000);
        var model = test("the_store_on_postgres_does_what_the_model_does()", 50_001);

        assertThat(Portions.of(List.of(quick, slow, slower, model)))
                .containsExactly(List.of(quick), List.of(model), List.of(slow));
    }

    @Test
    void a_test_that_takes_longer_than_there_is_time_is_asked_if_it_is_the_only_slow_one() {
        var slow = test("slow", 1_000_000);

        assertThat(Portions.of(List.of(slow))).containsExactly(List.of(slow));
    }

    @Test
    void every_quick_test_is_asked_once() {
        var tests = IntStream.range(0, 47).mapToObj(n -> test("test " + n, n)).toList();

        assertThat(Portions.of(tests).stream().flatMap(List::stream))
                .containsExactlyElementsOf(tests);
    }

    private static Covering test(String name, long millis) {
        return new Covering(name, millis, Set.of());
    }
}
