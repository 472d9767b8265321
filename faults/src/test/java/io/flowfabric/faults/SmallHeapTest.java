package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.flowfabric.core.PublicState;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Objects;

/** An engine in a small heap, with much more work in the store than would fit into it. */
class SmallHeapTest {
    private final FaultScenario world = new FaultScenario();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void a_hundred_thousand_wait_and_a_thousand_run_in_256_MiB() {
        var program =
                Child.start(
                        SmallHeapProgram.class,
                        List.of("-Xmx256m", "-XX:+ExitOnOutOfMemoryError"),
                        List.of(
                                world.options().url(),
                                Objects.requireNonNull(world.options().user()),
                                world.schema().text()),
                        Objects.requireNonNull(world.options().password()),
                        System.out::println);
        try (program) {
            await(program, "running");
            assertThat(world.counts())
                    .containsOnly(
                            entry(PublicState.ACTIVE, (long) SmallHeapProgram.RUNNING),
                            entry(
                                    PublicState.WAITING,
                                    (long) SmallHeapProgram.SUBMITTED - SmallHeapProgram.RUNNING));

            program.tell("go");
            await(program, "ended");

            assertThat(program.awaitEnd()).isZero();
            assertThat(program.said()).endsWith("stopped");
            assertThat(world.counts().get(PublicState.COMPLETED))
                    .isGreaterThanOrEqualTo(SmallHeapProgram.ENDED);
            assertThat(world.counts()).doesNotContainKey(PublicState.ACTIVE);
        }
    }

    /** R19: memory and messages are bounded by bytes, not only by count. */
    @Test
    void a_thousand_inputs_of_a_mebibyte_in_one_call_and_their_results_go_through_128_MiB() {
        var program =
                Child.start(
                        LargePayloadsProgram.class,
                        List.of("-Xmx128m", "-XX:+ExitOnOutOfMemoryError"),
                        List.of(
                                world.options().url(),
                                Objects.requireNonNull(world.options().user()),
                                world.schema().text()),
                        Objects.requireNonNull(world.options().password()),
                        System.out::println);
        try (program) {
            await(program, "submitted");
            await(program, "stopped");

            assertThat(program.awaitEnd()).isZero();
            assertThat(world.counts().get(PublicState.COMPLETED))
                    .isGreaterThanOrEqualTo(LargePayloadsProgram.ENDED);
            assertThat(world.counts()).doesNotContainKey(PublicState.ACTIVE);
            assertThat(world.counts().values().stream().mapToLong(Long::longValue).sum())
                    .isEqualTo(LargePayloadsProgram.SUBMITTED);
        }
    }

    private static void await(Child program, String word) {
        Waiting.until(
                "it says " + word,
                SmallHeapProgram.PATIENCE,
                () -> program.said().stream().anyMatch(line -> line.startsWith(word)));
    }
}
