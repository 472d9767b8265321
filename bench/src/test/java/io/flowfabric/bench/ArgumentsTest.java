package io.flowfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.List;

class ArgumentsTest {

    @Test
    void without_options_everything_is_measured_in_full() {
        var arguments = parse("drain");

        assertThat(arguments.bench()).isEqualTo(Arguments.Bench.DRAIN);
        assertThat(arguments.store()).isEqualTo(Arguments.StoreKind.POSTGRES);
        assertThat(arguments.quick()).isFalse();
        assertThat(arguments.heldSnapshot()).isFalse();
        assertThat(arguments.json()).isEmpty();
        assertThat(arguments.workers()).isEqualTo(16);
        assertThat(arguments.executionsOr(100, 10)).isEqualTo(100);
        assertThat(arguments.repetitionsOr(5, 3)).isEqualTo(5);
    }

    @Test
    void quick_means_less_of_everything() {
        var arguments = parse("growth --quick");

        assertThat(arguments.executionsOr(100, 10)).isEqualTo(10);
        assertThat(arguments.repetitionsOr(5, 3)).isEqualTo(3);
    }

    @Test
    void what_is_said_counts_more_than_quick() {
        var arguments =
                parse(
                        "drain --executions 7 --quick --repetitions 2 --workers 4 --held-snapshot"
                                + " --json figures.json");

        assertThat(arguments.executionsOr(100, 10)).isEqualTo(7);
        assertThat(arguments.repetitionsOr(5, 3)).isEqualTo(2);
        assertThat(arguments.workers()).isEqualTo(4);
        assertThat(arguments.heldSnapshot()).isTrue();
        assertThat(arguments.json()).contains(Path.of("figures.json"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"drain", "submit", "idle", "growth", "memory", "cluster"})
    void some_benchmarks_are_measured_on_valkey(String bench) {
        var arguments = parse(bench + " --store valkey --quick");

        assertThat(arguments.bench().word()).isEqualTo(bench);
        assertThat(arguments.store()).isEqualTo(Arguments.StoreKind.VALKEY);
        assertThat(arguments.quick()).isTrue();
    }

    @Test
    void the_store_that_is_measured_anyway_can_be_said() {
        assertThat(parse("enqueue --store postgres")).isEqualTo(parse("enqueue"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "retention",
                "enqueue",
                "admission",
                "routing",
                "keys",
                "sessions",
                "catchup",
                "worker",
                "peers"
            })
    void what_is_about_postgres_is_refused_on_valkey(String bench) {
        assertThatThrownBy(() -> parse(bench + " --store valkey"))
                .isInstanceOf(Refusal.class)
                .hasMessage(
                        "bench %s is not measured on Valkey; there it is drain, submit, idle,"
                                + " growth, waiting, flows, memory or cluster.",
                        bench);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "drian | There is no benchmark 'drian'",
                "drain --fast | There is no option '--fast'",
                "drain --json | --json needs a value",
                "drain --executions | --executions needs a value",
                "drain --executions 0 | --executions takes a whole number from 1",
                "drain --executions many | and not 'many'",
                "drain --workers 65 | --workers takes a whole number from 1 to 64",
                "submit --held-snapshot | --held-snapshot means nothing to bench submit",
                "drain --store | --store needs a value",
                "drain --store memory | --store takes postgres or valkey, and not 'memory'",
                "memory | bench memory is not measured on Postgres",
                "cluster --store postgres | bench cluster is not measured on Postgres",
                "drain --held-snapshot --store valkey | --held-snapshot means nothing on Valkey",
                "memory --store valkey --repetitions 3 | --repetitions means nothing to bench"
                        + " memory",
                "idle --repetitions 3 | --repetitions means nothing to bench idle",
            })
    void what_makes_no_sense_is_refused_in_words(String words, String explanation) {
        assertThatThrownBy(() -> parse(words))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(explanation);
    }

    @Test
    void saying_nothing_is_answered_with_what_can_be_said() {
        assertThatThrownBy(() -> Arguments.parse(List.of()))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("drain | submit | idle | growth");
    }

    private static Arguments parse(String words) {
        return Arguments.parse(List.of(words.split(" ")));
    }
}
