package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/** R4: handlers that compute do not keep their worker from showing signs of life. */
class ComputingTest {
    private static final Duration TTL = Duration.ofSeconds(2);

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void handlers_that_keep_every_carrier_busy_for_longer_than_a_session_lives_harm_no_session() {
        // Twice as many as there are carriers, so that some of them begin when others have ended.
        int handlers = 2 * Runtime.getRuntime().availableProcessors();
        world.start(
                world.worker()
                        .ttl(TTL)
                        .concurrency(handlers)
                        .handle(
                                "compute",
                                task -> {
                                    compute(TTL.plusMillis(500));
                                    return Payload.text("done");
                                }));

        var ids = world.submit("compute", handlers);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(world.tally.of("session died")).isZero();
        assertThat(world.tally.of("fenced END")).isZero();
        for (var id : ids) {
            assertThat(world.steps(id))
                    .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
        }
    }

    @Test
    void handlers_run_on_threads_of_the_users_choice() {
        var seen = ConcurrentHashMap.<String>newKeySet();
        world.start(
                world.worker()
                        .threads(Thread.ofPlatform().name("mine-", 0).factory())
                        .handle(
                                "compute",
                                task -> {
                                    var thread = Thread.currentThread();
                                    seen.add(thread.getName() + " " + thread.isVirtual());
                                    return Payload.EMPTY;
                                }));

        var ids = world.submit("compute", 2);

        eventually("both are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(seen).isSubsetOf("mine-0 false", "mine-1 false").isNotEmpty();
    }

    private static void compute(Duration length) {
        long until = System.nanoTime() + length.toNanos();
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }
}
