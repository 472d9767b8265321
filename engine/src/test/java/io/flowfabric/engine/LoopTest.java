package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.Backoff;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

class LoopTest {
    private static final Duration IMPATIENT = Duration.ofMillis(1);
    private static final String INTERRUPTED = "it was interrupted";

    private final ManualTime time = new ManualTime();
    private final AtomicInteger turns = new AtomicInteger();
    private final Queue<String> troubles = new ConcurrentLinkedQueue<>();
    private final AtomicReference<Loop> made = new AtomicReference<>();

    @AfterEach
    void stop() {
        made.get().stop();
    }

    @Test
    void it_waits_between_turns_for_as_long_as_a_turn_says() {
        loop(
                () -> {
                    turns.incrementAndGet();
                    return Duration.ofSeconds(1).toNanos();
                });
        eventually("the first turn", () -> turns.get() == 1);

        time.pass(Duration.ofMillis(900));
        assertThat(turns).hasValue(1);

        time.pass(Duration.ofMillis(200));
        eventually("the second turn", () -> turns.get() == 2);
    }

    @Test
    void a_turn_that_fails_is_not_the_last_one() {
        loop(
                () -> {
                    switch (turns.incrementAndGet()) {
                        case 1, 3 -> throw new IllegalStateException("bad");
                        case 2 -> throw new AssertionError("worse");
                        default -> {}
                    }
                    return Duration.ofSeconds(1).toNanos();
                });

        eventually(time, "it goes on", () -> turns.get() == 4);

        assertThat(List.copyOf(troubles)).containsExactly("bad", "worse", "bad");
    }

    @Test
    void it_waits_longer_after_each_failure() {
        loop(
                () -> {
                    turns.incrementAndGet();
                    throw new IllegalStateException("bad");
                });
        eventually("the first turn", () -> turns.get() == 1);

        time.pass(Duration.ofSeconds(4));

        // At 0, 0.1, 0.3, 0.7, 1.5, 2.5, 3.5 seconds: doubling up to a second.
        assertThat(turns.get()).isBetween(6, 8);
    }

    /** So that processes which fail together do not go on in step. */
    @Test
    void after_a_failure_it_waits_for_half_of_the_backoff_or_more_by_chance() {
        var waits = new ConcurrentLinkedQueue<Long>();
        var system =
                new Time() {
                    @Override
                    public Instant instant() {
                        return Time.SYSTEM.instant();
                    }

                    @Override
                    public long nanos() {
                        return waits.stream().mapToLong(Long::longValue).sum();
                    }

                    @Override
                    public void park(long nanos) {
                        waits.add(nanos);
                    }
                };
        var loop =
                new Loop(
                        "a loop",
                        system,
                        () -> {
                            throw new IllegalStateException("bad");
                        },
                        Backoff.fixed(Duration.ofSeconds(1)),
                        e -> turns.incrementAndGet());
        made.set(loop);

        loop.start();
        eventually("it has waited often", () -> turns.get() > 50);
        loop.stop();

        long second = Duration.ofSeconds(1).toNanos();
        assertThat(waits).allMatch(wait -> wait >= second / 2 && wait <= second);
        assertThat(Set.copyOf(waits)).hasSizeGreaterThan(40);
    }

    @Test
    void whoever_is_in_a_hurry_gets_a_turn_at_once() {
        loop(
                () -> {
                    turns.incrementAndGet();
                    return Duration.ofHours(1).toNanos();
                });
        eventually("the first turn", () -> turns.get() == 1);

        made.get().hurry();

        eventually(time, "the second turn", () -> turns.get() == 2);
        assertThat(time.nanos()).isLessThan(Duration.ofSeconds(1).toNanos());
    }

    /** R28: neither a turn nor a caller that hurries keeps a core busy. */
    @Test
    void turns_keep_their_distance_however_much_hurry_there_is() {
        loop(
                () -> {
                    turns.incrementAndGet();
                    made.get().hurry();
                    return 0;
                });

        time.pass(Duration.ofSeconds(1));

        assertThat(turns.get()).isBetween(50, 101);
    }

    @Test
    void a_hurry_during_a_turn_is_not_lost() throws Exception {
        var inside = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        loop(
                () -> {
                    if (turns.incrementAndGet() == 1) {
                        inside.countDown();
                        await(go);
                    }
                    return Duration.ofHours(1).toNanos();
                });
        inside.await();

        made.get().hurry();
        go.countDown();

        eventually(time, "the second turn", () -> turns.get() == 2);
    }

    @Test
    void a_turn_may_stop_its_own_loop() {
        loop(
                () -> {
                    turns.incrementAndGet();
                    eventually("it is there", () -> made.get() != null && made.get().running());
                    made.get().stop();
                    return 0;
                });

        eventually("it has stopped", () -> !made.get().running());

        assertThat(turns).hasValue(1);
    }

    @Test
    void a_turn_under_way_is_waited_for_although_the_one_who_stops_it_is_interrupted() {
        var inside = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        loop(
                () -> {
                    inside.countDown();
                    await(go);
                    turns.incrementAndGet();
                    return 0;
                });
        var interrupted = new AtomicReference<Boolean>();
        var stopping =
                Thread.startVirtualThread(
                        () -> {
                            await(inside);
                            Thread.currentThread().interrupt();
                            made.get().stop();
                            interrupted.set(Thread.currentThread().isInterrupted());
                        });
        eventually("it waits", () -> stopping.getState() == Thread.State.TIMED_WAITING);

        go.countDown();

        eventually("it has stopped", () -> !stopping.isAlive());
        assertThat(turns).hasValue(1);
        assertThat(interrupted).hasValue(true);
        assertThat(troubles).isEmpty();
    }

    @Test
    void a_turn_that_does_not_end_is_interrupted() {
        var inside = new CountDownLatch(1);
        var never = new CountDownLatch(1);
        loop(
                () -> {
                    inside.countDown();
                    await(never);
                    return 0;
                },
                IMPATIENT);
        await(inside);

        made.get().stop();

        eventually("it was interrupted", () -> troubles.contains(INTERRUPTED));
    }

    @Test
    void a_turn_that_does_not_end_although_it_is_interrupted_is_left_and_that_is_told() {
        var inside = new CountDownLatch(1);
        var go = new CountDownLatch(1);
        loop(
                () -> {
                    inside.countDown();
                    eventually("the test is over", () -> go.getCount() == 0);
                    return 0;
                },
                IMPATIENT);
        await(inside);

        made.get().stop();

        assertThat(troubles).containsExactly("a loop does not end; it is left");
        go.countDown();
    }

    private void loop(Loop.Turn turn) {
        loop(turn, Duration.ofSeconds(5));
    }

    private void loop(Loop.Turn turn, Duration patience) {
        var backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(1), 2);
        var loop =
                new Loop(
                        "a loop",
                        time,
                        turn,
                        backoff,
                        e -> troubles.add(String.valueOf(e.getMessage())),
                        patience);
        made.set(loop);
        loop.start();
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(INTERRUPTED, e);
        }
    }
}
