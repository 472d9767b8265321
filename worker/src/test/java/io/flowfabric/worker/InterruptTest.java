package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.ManualTime;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * R18: an attempt that has timed out, has expired or was cancelled is interrupted within a second.
 * Heartbeats are ten seconds apart.
 */
class InterruptTest {
    private static final Duration TTL = Duration.ofMinutes(1);
    private static final Duration LIFE = Duration.ofSeconds(12);

    private final ManualTime time = new ManualTime();
    private final WorkerScenario world = new WorkerScenario(time);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicBoolean interrupted = new AtomicBoolean();

    @BeforeEach
    void start() {
        world.start(
                world.worker()
                        .ttl(TTL)
                        .handle(
                                "hang",
                                task -> {
                                    begun.incrementAndGet();
                                    try {
                                        go.await();
                                    } catch (InterruptedException stop) {
                                        assertThat(task.leaseLost()).isTrue();
                                        interrupted.set(true);
                                        throw stop;
                                    }
                                    return Payload.EMPTY;
                                }));
    }

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void an_attempt_that_takes_too_long_is_interrupted_when_its_time_is_over() {
        var id = world.submit("hang", "", Policy.DEFAULT.attemptTimeout(LIFE).retry(Retry.NEVER));
        eventually("it runs", () -> begun.get() == 1);

        isInterruptedWhenItsTimeIsOver();
        eventually(time, "it has failed", () -> world.state(id) == PublicState.FAILED);
    }

    /** R16: leases that the store still has are known here, however late it is with its sweeps. */
    @Test
    void a_session_lives_although_the_store_is_late_to_take_away_what_has_timed_out() {
        world.hook(
                (call, real) -> {
                    if (call.equals("tick") || call.equals("nextDue")) {
                        throw new StoreFailure("No sweeps.", false, new IllegalStateException());
                    }
                    return real.call();
                });
        var id = world.submit("hang", "", Policy.DEFAULT.attemptTimeout(LIFE).retry(Retry.NEVER));
        eventually("it runs", () -> begun.get() == 1);

        isInterruptedWhenItsTimeIsOver();
        time.pass(TTL);

        assertThat(world.tally.of("session died")).isZero();
        world.hook((call, real) -> real.call());
        eventually(time, "it has failed", () -> world.state(id) == PublicState.FAILED);
        time.pass(TTL);
        assertThat(world.tally.of("session died")).isZero();
    }

    @Test
    void work_that_expires_is_interrupted_when_its_time_is_over() {
        var id = world.submit("hang", "", Policy.DEFAULT.deadline(Due.in(LIFE)));
        eventually("it runs", () -> begun.get() == 1);

        isInterruptedWhenItsTimeIsOver();
        eventually(time, "it has expired", () -> world.state(id) == PublicState.EXPIRED);
    }

    @Test
    void work_that_stalls_is_interrupted_when_the_store_takes_it_away() {
        world.submit("hang", "", Policy.DEFAULT.stallTimeout(LIFE));
        eventually("it runs", () -> begun.get() == 1);

        isInterruptedWhenItsTimeIsOver();
    }

    @Test
    void a_handler_whose_work_is_cancelled_is_interrupted_at_once() {
        var id = world.submit("hang");
        eventually("it runs", () -> begun.get() == 1);
        time.pass(Duration.ofMillis(100));

        world.memory
                .operations()
                .act(List.of(new OperatorCommand.Cancel(id)), new Attribution("ada", "a test"));
        // No time passes.
        eventually("it is interrupted", interrupted::get);

        assertThat(world.steps(id))
                .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.CANCEL);
    }

    private void isInterruptedWhenItsTimeIsOver() {
        time.pass(LIFE.minusMillis(100));
        assertThat(interrupted).isFalse();
        time.pass(Duration.ofSeconds(1));
        eventually("it is interrupted", interrupted::get);
    }
}
