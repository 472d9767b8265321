package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.ManualTime;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class PrefetchTest {
    /** Of work that is not prefetched. */
    private static final Policy CLOCKED = Policy.DEFAULT.attemptTimeout(Duration.ofHours(1));

    private final ManualTime time = new ManualTime();
    private final WorkerScenario world = new WorkerScenario(time);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger inside = new AtomicInteger();

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void pace_is_quick_when_more_than_half_of_the_last_runs_were() {
        long quick = Duration.ofMillis(19).toNanos();
        long slow = Duration.ofMillis(20).toNanos();
        var pace = new Pace();

        for (int i = 0; i < 7; i++) {
            pace.ran(quick);
        }
        assertThat(pace.quick()).as("too few to say").isFalse();
        pace.ran(quick);
        assertThat(pace.quick()).isTrue();
        for (int i = 0; i < 8; i++) {
            pace.ran(slow);
        }
        assertThat(pace.quick()).as("half and half").isFalse();
        for (int i = 0; i < 33; i++) {
            pace.ran(quick);
        }
        for (int i = 0; i < 31; i++) {
            pace.ran(slow);
        }
        assertThat(pace.quick()).as("33 of the last 64").isTrue();
        pace.ran(slow);
        assertThat(pace.quick()).as("32 of the last 64").isFalse();
        pace.forget();
        assertThat(pace.quick()).isFalse();
    }

    @Test
    void slow_handlers_hold_nothing_that_others_could_do() {
        world.start(worker());

        var ids = world.submit("slow", 20);

        eventually("both run", () -> inside.get() == 2);
        eventually("it waits for room", () -> active(ids) == 2);
        assertThat(world.tally.of("claimed")).isEqualTo(2);
    }

    @Test
    void instant_handlers_have_thirty_two_times_as_much_waiting() {
        world.start(worker());
        warmUp();

        var ids = world.submit("slow", 100);

        // Both slots and 32 times as many, or a few less: a handful is not worth another claim.
        // More than eight times as many, which is what handlers get that are only quick.
        eventually("it has prefetched", () -> active(ids) > 2 + 16);
        eventually("both slots are taken", () -> inside.get() == 2);
        assertThat(active(ids)).isLessThanOrEqualTo(66);
    }

    @Test
    void the_quicker_handlers_are_the_more_waits_for_them() {
        assertThat(ahead(Duration.ofMillis(20))).isZero();
        assertThat(ahead(Duration.ofMillis(19))).isEqualTo(8);
        assertThat(ahead(Duration.ofMillis(1))).isEqualTo(8);
        assertThat(ahead(Duration.ofNanos(999_999))).isEqualTo(32);
    }

    private static int ahead(Duration each) {
        var pace = new Pace();
        for (int i = 0; i < 8; i++) {
            pace.ran(each.toNanos());
        }
        return pace.ahead(1);
    }

    /** R17: by its age, and not only with a heartbeat, which are five seconds apart. */
    @Test
    void what_is_stranded_behind_slow_handlers_is_given_back_within_a_second() {
        world.start(worker());
        warmUp();
        var ids = world.submit("slow", 50);
        eventually("it has prefetched", () -> active(ids) > 2);
        eventually("both slots are taken", () -> inside.get() == 2);
        long held = active(ids);

        time.pass(Duration.ofMillis(1100));
        eventually("it is given back", () -> active(ids) == 2);

        time.pass(Duration.ofSeconds(20));
        assertThat(active(ids)).as("and not prefetched again").isEqualTo(2);
        assertThat(ids.stream().filter(id -> world.steps(id).contains(Transition.RELEASE)).count())
                .isEqualTo(held - 2);
    }

    /**
     * R17: the clock of an attempt runs from its claim on, so what has one begins when it is
     * claimed.
     */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void work_whose_attempts_have_a_clock_does_not_wait_for_a_slot(boolean attempt) {
        world.start(worker());
        warmUp();
        var minute = Duration.ofMinutes(1);
        var policy =
                attempt
                        ? Policy.DEFAULT.attemptTimeout(minute)
                        : Policy.DEFAULT.stallTimeout(minute);

        var ids =
                IntStream.range(0, 20).mapToObj(i -> world.submit("slow", "" + i, policy)).toList();

        eventually("both slots are taken", () -> inside.get() == 2);
        eventually("nothing waits for them", () -> active(ids) == 2);
        // A claim may have been too large, because the worker did not know yet; no other one is.
        long given = given(ids);
        time.pass(Duration.ofSeconds(10));
        assertThat(active(ids)).isEqualTo(2);
        assertThat(given(ids)).isEqualTo(given);
    }

    /** How many leases they were given in all. */
    private long given(List<ExecutionId> ids) {
        return ids.stream()
                .flatMap(id -> world.steps(id).stream())
                .filter(Transition::givesLease)
                .count();
    }

    /** R17: a thread may come late, and its work has been given to others by then. */
    @Test
    void an_attempt_whose_time_is_over_does_not_begin_any_more() {
        var thread = new CountDownLatch(1);
        var attempts = new ConcurrentLinkedQueue<Integer>();
        world.start(
                world.worker()
                        .concurrency(1)
                        .threads(
                                task ->
                                        Thread.ofVirtual()
                                                .unstarted(
                                                        () -> {
                                                            awaitQuietly(thread);
                                                            task.run();
                                                        }))
                        .handle(
                                "late",
                                task -> {
                                    attempts.add(task.attempt());
                                    return Payload.EMPTY;
                                }));
        var policy = Policy.DEFAULT.attemptTimeout(Duration.ofSeconds(2));
        var id = world.submit("late", "", policy);
        eventually("it is claimed", () -> world.state(id) == PublicState.ACTIVE);

        time.pass(Duration.ofSeconds(3));
        assertThat(attempts).isEmpty();
        thread.countDown();

        eventually(time, "it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(attempts).containsExactly(2);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // Its thread is not there yet.
            }
        }
    }

    /** R19: inputs that wait are bounded by their bytes, too. */
    @Test
    void the_larger_inputs_are_the_fewer_of_them_wait() {
        world.start(worker());
        var large = Payload.of(new byte[1 << 20], "application/octet-stream");
        warmUp();
        var first = submit("quick", large, 8);
        eventually("it knows large inputs", () -> world.all(first, PublicState.COMPLETED));

        var ids = submit("slow", large, 40);

        eventually("both slots are taken", () -> inside.get() == 2);
        eventually("it has prefetched", () -> active(ids) > 2);
        assertThat(active(ids)).isLessThanOrEqualTo(2 + (Pace.AHEAD_BYTES >> 20));
    }

    private List<ExecutionId> submit(String kind, Payload input, int count) {
        var submissions =
                IntStream.range(0, count)
                        .mapToObj(i -> Submission.of(kind, input).lane(WorkerScenario.LANE))
                        .toList();
        return world.engine().submissions().submit(submissions).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    @Test
    void claims_of_a_loaded_worker_are_few_and_large() {
        world.start(worker().concurrency(8));
        warmUp();
        int before = world.calls("claim");

        var ids = world.submit("quick", 800);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        // Sixteen at a time or more, and a few around the beginning and the end.
        assertThat(world.calls("claim") - before).isLessThan(800 / 16 + 10);
    }

    /**
     * A claim waits for more room while handlers are quick, and no longer than quick handlers take:
     * slow ones may leave half of the slots empty for hours.
     */
    @Test
    void slots_beside_slow_handlers_are_filled_although_handlers_were_quick_before() {
        world.start(worker().concurrency(16));
        warmUp(CLOCKED);
        submit("slow", 9, CLOCKED);
        eventually("nine run", () -> inside.get() == 9);

        var ids = submit("quick", 1, CLOCKED);

        eventually("it is done", () -> world.all(ids, PublicState.COMPLETED));
        submit("slow", 7, CLOCKED);
        eventually("every slot is taken", () -> inside.get() == 16);
    }

    @Test
    void the_first_slot_that_becomes_free_is_filled_although_handlers_were_quick_before() {
        var end = new CountDownLatch(1);
        world.start(
                worker().concurrency(16)
                        .handle(
                                "first",
                                task -> {
                                    inside.incrementAndGet();
                                    end.await();
                                    return Payload.EMPTY;
                                }));
        warmUp(CLOCKED);
        var first = submit("first", 1, CLOCKED);
        submit("slow", 15, CLOCKED);
        eventually("every slot is taken", () -> inside.get() == 16);
        var ids = submit("quick", 1, CLOCKED);

        end.countDown();

        eventually("one has ended", () -> world.all(first, PublicState.COMPLETED));
        eventually("another one has begun", () -> world.all(ids, PublicState.COMPLETED));
    }

    private WorkerBuilder worker() {
        return world.worker()
                .concurrency(2)
                .handle("quick", task -> Payload.EMPTY)
                .handle(
                        "slow",
                        task -> {
                            inside.incrementAndGet();
                            go.await();
                            return Payload.EMPTY;
                        });
    }

    private void warmUp() {
        warmUp(Policy.DEFAULT);
    }

    private void warmUp(Policy policy) {
        var ids = submit("quick", 80, policy);
        eventually("it is warm", () -> world.all(ids, PublicState.COMPLETED));
    }

    private List<ExecutionId> submit(String kind, int count, Policy policy) {
        return IntStream.range(0, count).mapToObj(i -> world.submit(kind, "" + i, policy)).toList();
    }

    private long active(List<ExecutionId> ids) {
        return ids.stream().filter(id -> world.state(id) == PublicState.ACTIVE).count();
    }
}
