package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

class DrainTest {
    private static final Duration LONG = Duration.ofMinutes(1);

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final CountDownLatch go = new CountDownLatch(1);
    private final AtomicInteger inside = new AtomicInteger();

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void a_worker_with_nothing_to_do_stops_at_once() {
        var worker = world.start(world.worker().handle("welcome", task -> Payload.EMPTY));
        eventually("it waits for work", () -> world.tally.of("parked") == 1);

        worker.stop(LONG);

        assertThat(worker.running()).isFalse();
        assertThat(world.calls("close")).isEqualTo(1);
        int claims = world.calls("claim");
        world.submit("welcome");
        assertThat(world.calls("claim")).isEqualTo(claims);
    }

    @Test
    void handlers_that_run_are_waited_for() throws Exception {
        var worker = world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        var stopping = Thread.ofVirtual().start(() -> worker.stop(LONG));
        eventually("it drains", () -> !worker.running());
        assertThat(stopping.isAlive()).isTrue();
        go.countDown();

        stopping.join();
        assertThat(world.state(id)).isEqualTo(PublicState.COMPLETED);
    }

    /** R28: however long that is; and nothing is left behind. */
    @Test
    void handlers_are_waited_for_as_long_as_it_is_said() throws Exception {
        var worker = world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        var stopping =
                Thread.ofVirtual().start(() -> worker.stop(Duration.ofSeconds(Long.MAX_VALUE)));
        eventually("it drains", () -> !worker.running());
        go.countDown();

        stopping.join();
        assertThat(world.state(id)).isEqualTo(PublicState.COMPLETED);
        assertThat(world.calls("close")).isEqualTo(1);
    }

    @Test
    void nothing_more_is_claimed_while_it_drains() throws Exception {
        var worker = world.start(blocking());
        var first = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        var stopping = Thread.ofVirtual().start(() -> worker.stop(LONG));
        eventually("it drains", () -> !worker.running());
        var second = world.submit("welcome");
        go.countDown();
        stopping.join();

        assertThat(world.state(first)).isEqualTo(PublicState.COMPLETED);
        assertThat(world.state(second)).isEqualTo(PublicState.WAITING);
        assertThat(world.view(second).epoch()).isZero();
    }

    @Test
    void handlers_that_take_too_long_are_interrupted_and_their_work_is_given_back() {
        var worker = world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        worker.stop(Duration.ofMillis(20));

        assertThat(world.steps(id)).endsWith(Transition.CLAIM, Transition.RELEASE);
        assertThat(world.view(id).reclaims()).isZero();
        assertThat(world.view(id).failure()).isEmpty();
    }

    @Test
    void a_handler_that_is_interrupted_and_finishes_has_finished() {
        var worker =
                world.start(
                        world.worker()
                                .handle(
                                        "welcome",
                                        task -> {
                                            inside.incrementAndGet();
                                            try {
                                                go.await();
                                            } catch (InterruptedException e) {
                                                assertThat(task.shuttingDown()).isTrue();
                                                assertThat(task.leaseLost()).isFalse();
                                            }
                                            return Payload.text("in time");
                                        }));
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        worker.stop(Duration.ZERO);

        assertThat(world.result(id).result()).contains(Payload.text("in time"));
    }

    @Test
    void a_handler_that_will_not_stop_is_left_and_what_it_does_then_is_dropped() {
        var left = new AtomicBoolean();
        var worker =
                world.start(
                        world.worker()
                                .handle(
                                        "welcome",
                                        task -> {
                                            inside.incrementAndGet();
                                            awaitStubbornly(go);
                                            left.set(true);
                                            return Payload.text("too late");
                                        }));
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        worker.stop(Duration.ZERO);
        world.start(world.worker().handle("welcome", task -> Payload.text("the other one")));

        eventually("the other one does it", () -> world.state(id) == PublicState.COMPLETED);
        go.countDown();
        eventually("the first one ends", left::get);
        assertThat(world.result(id).result()).contains(Payload.text("the other one"));
        assertThat(world.steps(id))
                .containsExactly(
                        Transition.SUBMIT,
                        Transition.CLAIM,
                        Transition.RELEASE,
                        Transition.CLAIM,
                        Transition.COMPLETE);
    }

    /** R28: orchestrators wait for thirty seconds. */
    @Test
    void the_default_grace_and_all_that_follows_it_fit_into_thirty_seconds() {
        var time = new ManualTime();
        try (var other = new WorkerScenario(time)) {
            var worker =
                    other.start(
                            other.worker()
                                    .handle(
                                            "welcome",
                                            task -> {
                                                inside.incrementAndGet();
                                                awaitStubbornly(go);
                                                return Payload.EMPTY;
                                            }));
            var id = other.submit("welcome");
            eventually("it runs", () -> inside.get() == 1);
            long told = time.nanos();

            var stopping = Thread.ofVirtual().start(worker::stop);
            eventually("it waits", () -> !worker.running());
            eventually(time, "it has stopped", () -> !stopping.isAlive());

            assertThat(Duration.ofNanos(time.nanos() - told))
                    .isBetween(Duration.ofSeconds(20), Duration.ofSeconds(28));
            assertThat(other.steps(id)).endsWith(Transition.RELEASE);
            go.countDown();
        }
    }

    @Test
    void what_was_prefetched_and_has_not_begun_is_given_back() {
        var worker = world.start(blocking().concurrency(2).handle("quick", task -> Payload.EMPTY));
        var quick = world.submit("quick", 64);
        eventually("it is quick", () -> world.all(quick, PublicState.COMPLETED));
        var ids = world.submit("welcome", 20);
        eventually("it has prefetched", () -> active(ids) > 2);
        eventually("both slots are taken", () -> inside.get() == 2);
        long held = active(ids);

        worker.stop(Duration.ofMillis(20));

        assertThat(active(ids)).isZero();
        assertThat(ids).allMatch(id -> world.view(id).reclaims() == 0);
        assertThat(ids.stream().filter(id -> world.steps(id).contains(Transition.RELEASE)))
                .hasSize((int) held);
    }

    /** A thread may come late, where handlers that compute keep all carriers. */
    @Test
    void what_has_no_thread_yet_is_given_back_at_once_and_does_not_begin_any_more()
            throws Exception {
        var late = new CountDownLatch(1);
        var worker =
                world.start(
                        blocking()
                                .threads(
                                        task ->
                                                Thread.ofVirtual()
                                                        .unstarted(
                                                                () -> {
                                                                    awaitStubbornly(late);
                                                                    task.run();
                                                                })));
        var id = world.submit("welcome");
        eventually("it is claimed", () -> world.state(id) == PublicState.ACTIVE);

        var stopping = Thread.ofVirtual().start(() -> worker.stop(LONG));

        eventually("it is given back", () -> world.state(id) == PublicState.WAITING);
        late.countDown();
        stopping.join();
        assertThat(inside).hasValue(0);
        assertThat(world.steps(id)).endsWith(Transition.CLAIM, Transition.RELEASE);
    }

    @Test
    void stopping_again_or_at_the_same_time_waits_for_the_same_end() throws Exception {
        var worker = world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);

        var stopping =
                IntStream.range(0, 4)
                        .mapToObj(i -> Thread.ofVirtual().start(() -> worker.stop(LONG)))
                        .toList();
        eventually("it drains", () -> !worker.running());
        go.countDown();
        for (var each : stopping) {
            each.join();
        }
        worker.stop();
        worker.close();

        assertThat(world.state(id)).isEqualTo(PublicState.COMPLETED);
        assertThat(world.calls("close")).isEqualTo(1);
    }

    @Test
    void a_worker_that_never_started_can_be_stopped() {
        var worker = world.worker().handle("welcome", task -> Payload.EMPTY).build();

        worker.stop(LONG);

        assertThat(worker.running()).isFalse();
        assertThat(world.calls("open")).isZero();
        assertThatThrownBy(worker::start).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void a_worker_that_cannot_open_a_session_does_not_start() {
        world.hook(
                (call, real) -> {
                    if (call.equals("open")) {
                        throw new IllegalStateException("broken by a test");
                    }
                    return real.call();
                });
        var worker = world.worker().handle("welcome", task -> Payload.EMPTY).build();

        assertThatThrownBy(worker::start).hasMessage("broken by a test");

        assertThat(worker.running()).isFalse();
        worker.stop();
    }

    @Test
    void whoever_is_interrupted_while_stopping_waits_no_longer_for_handlers() throws Exception {
        var worker = world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> inside.get() == 1);
        var stopping = Thread.ofVirtual().start(() -> worker.stop(LONG));
        eventually("it drains", () -> !worker.running());

        stopping.interrupt();

        stopping.join();
        assertThat(world.steps(id)).endsWith(Transition.RELEASE);
    }

    @Test
    void a_handler_may_stop_its_own_worker() {
        var stopped = new AtomicBoolean();
        var worker = new AtomicReference<Worker>();
        worker.set(
                world.start(
                        world.worker()
                                .handle(
                                        "welcome",
                                        task -> {
                                            eventually("it is known", () -> worker.get() != null);
                                            worker.get().stop(Duration.ofMillis(10));
                                            stopped.set(true);
                                            return Payload.EMPTY;
                                        })));
        world.submit("welcome");

        eventually("it has stopped", stopped::get);
    }

    @Test
    void a_store_that_is_gone_does_not_keep_a_worker_from_stopping() throws Exception {
        var time = new ManualTime();
        try (var other = new WorkerScenario(time)) {
            var worker = other.start(other.worker().handle("welcome", task -> Payload.EMPTY));
            other.hook(
                    (call, real) -> {
                        if (call.equals("claim")) {
                            return real.call();
                        }
                        throw new StoreFailure("Gone.", true, new IllegalStateException());
                    });
            other.memory
                    .submissions()
                    .submit(
                            List.of(
                                    Submission.of("welcome", Payload.EMPTY)
                                            .lane(WorkerScenario.LANE)));
            eventually("its end fails", () -> other.calls("end") > 0);

            var stopping = Thread.ofVirtual().start(() -> worker.stop(Duration.ofSeconds(1)));

            eventually(time, "it has stopped", () -> !stopping.isAlive());
        }
    }

    private WorkerBuilder blocking() {
        return world.worker()
                .handle(
                        "welcome",
                        task -> {
                            inside.incrementAndGet();
                            go.await();
                            return Payload.EMPTY;
                        });
    }

    private long active(List<ExecutionId> ids) {
        return ids.stream().filter(id -> world.state(id) == PublicState.ACTIVE).count();
    }

    private static void awaitStubbornly(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException e) {
                // It will not stop.
            }
        }
    }
}
