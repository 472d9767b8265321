package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The word {@code ./ff soak}, for a few seconds. */
class SoakTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream beside = new ByteArrayOutputStream();

    @ParameterizedTest
    @ValueSource(strings = {"postgres", "valkey"})
    void a_short_soak_breaks_everything_once_and_is_judged(String store) {
        // The machine is busy with other tests, so that work may be late.
        assertThat(run("--store " + store + " --minutes 0.2 --slack 60 --seed 7"))
                .as(text(out))
                .isZero();
        assertThat(text(out))
                .contains("| minute | submitted |", "| 1 | ")
                .contains("lost: 0", "doubled: 0", "stale writes: 0", "limits exceeded: 0")
                .contains("WORKER_KILLED", "WORKER_FROZEN", "CONNECTIONS_CUT", "SERVER_KILLED")
                .endsWith("Sound.\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--minutes",
                "--minutes ever",
                "--minutes 0",
                "--kills x",
                "--kills 0",
                "--slack none",
                "--seed x",
                "--store oracle",
                "--for 1m"
            })
    void misuse_is_one_sentence_and_an_exit_code(String words) {
        assertThat(run(words)).isEqualTo(2);
        assertThat(out.size()).isZero();
        assertThat(text(beside)).hasLineCount(1);
    }

    private int run(String words) {
        return Soak.run(
                List.of(words.split(" ", -1)),
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(beside, true, StandardCharsets.UTF_8));
    }

    private static String text(ByteArrayOutputStream printed) {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
