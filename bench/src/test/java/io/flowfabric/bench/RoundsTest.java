package io.flowfabric.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.bench.report.Run;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

class RoundsTest {

    @Test
    void every_round_begins_with_another_trial_and_the_warm_up_is_dropped() throws Exception {
        var log = new ArrayList<String>();
        var results =
                new Rounds(30_000, 3, line -> {})
                        .run(List.of(new Logged("a", log), new Logged("b", log)));

        assertThat(log)
                .containsExactly(
                        "a 20000", "b 20000", // warm-up
                        "a 30000", "b 30000", //
                        "b 30000", "a 30000", //
                        "a 30000", "b 30000");
        assertThat(results.series("a").figures().get("seconds"))
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .hasSize(3);
    }

    @Test
    void progress_is_told_after_each_trial() throws Exception {
        var told = new ArrayList<String>();

        new Rounds(1_000, 1, told::add).run(List.of(new Logged("a", new ArrayList<>())));

        assertThat(told).containsExactly("warm-up: a, 1,000/s", "round 1 of 1: a, 1,000/s");
    }

    /** Takes a second for whatever it is asked to do. */
    private record Logged(String key, List<String> log) implements Trial {
        @Override
        public String name() {
            return key;
        }

        @Override
        public Run run(int executions) {
            log.add(key + " " + executions);
            return new Run(executions, Duration.ofSeconds(1), 0, 0);
        }
    }
}
