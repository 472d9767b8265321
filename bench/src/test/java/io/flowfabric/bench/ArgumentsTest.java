package io.flowfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;

class ArgumentsTest {

    @Test
    void without_options_everything_is_measured_in_full() {
        var arguments = parse("drain");

        assertThat(arguments.bench()).isEqualTo(Arguments.Bench.DRAIN);
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
