package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
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

    @Test
    void a_short_soak_is_judged_and_says_so() {
        assertThat(run("--for 3s --seed 7")).as(text(beside)).isZero();
        assertThat(text(out))
                .contains("fire 1: ")
                .containsPattern("Sound: [0-9,]+ executions, fires: 1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--for", "--for ever", "--for 10", "--seed x", "--until noon"})
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
