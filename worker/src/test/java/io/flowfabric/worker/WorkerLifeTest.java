package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Session;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;

/** The one life of the services of a worker, as of every other service; and what ends it. */
class WorkerLifeTest {
    enum Kind {
        COMMITTERS {
            @Override
            Service make(WorkerScenario world) {
                return new Committers<>(
                        new EndingCommit(world.engine().leases(), EngineMetrics.NONE),
                        Time.SYSTEM,
                        "some",
                        () -> {});
            }
        },
        WORKER {
            @Override
            Service make(WorkerScenario world) {
                return world.worker().handle("welcome", task -> Payload.EMPTY).build();
            }
        };

        abstract Service make(WorkerScenario world);
    }

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);

    @AfterEach
    void close() {
        world.close();
    }

    @ParameterizedTest
    @EnumSource
    void it_runs_from_its_start_to_its_stop_and_has_one_life(Kind kind) {
        var service = kind.make(world);
        assertThat(service.running()).isFalse();

        service.start();
        assertThat(service.running()).isTrue();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
        assertThat(service.running()).isTrue();

        service.stop();
        service.stop();
        service.close();
        assertThat(service.running()).isFalse();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    void stopping_what_never_started_does_nothing(Kind kind) {
        var service = kind.make(world);

        service.stop();

        assertThat(service.running()).isFalse();
        assertThatThrownBy(service::start).isInstanceOf(IllegalStateException.class);
    }

    @ParameterizedTest
    @EnumSource
    void everyone_who_stops_it_waits_until_it_has_ended(Kind kind) throws Exception {
        var service = kind.make(world);
        service.start();
        var stopped = new CountDownLatch(8);

        IntStream.range(0, 8)
                .forEach(
                        i ->
                                Thread.ofVirtual()
                                        .start(
                                                () -> {
                                                    service.stop();
                                                    stopped.countDown();
                                                }));

        stopped.await();
        assertThat(service.running()).isFalse();
    }

    @Test
    void a_worker_on_an_engine_that_does_not_run_does_not_start() {
        world.engine().stop();
        var worker = world.worker().handle("welcome", task -> Payload.EMPTY).build();

        assertThatThrownBy(worker::start).isInstanceOf(Unavailable.class);

        assertThat(worker.running()).isFalse();
        assertThat(world.calls("open")).isZero();
    }

    /** R28: an engine owns its workers, so none of them goes on, and complains, without it. */
    @Test
    void an_engine_that_stops_has_stopped_its_workers_before() {
        var go = new CountDownLatch(1);
        var inside = new CountDownLatch(2);
        var workers =
                IntStream.range(0, 2)
                        .mapToObj(
                                i ->
                                        world.start(
                                                world.worker()
                                                        .instance("worker " + i)
                                                        .concurrency(1)
                                                        .handle(
                                                                "welcome",
                                                                task -> {
                                                                    inside.countDown();
                                                                    go.await();
                                                                    return Payload.EMPTY;
                                                                })))
                        .toList();
        var ids = world.submit("welcome", 2);
        eventually("both are at work", () -> inside.getCount() == 0);

        var stopping = Thread.ofVirtual().start(world.engine()::stop);
        eventually("both drain", () -> workers.stream().noneMatch(Worker::running));
        assertThat(world.all(ids, PublicState.ACTIVE)).isTrue();
        go.countDown();

        eventually("it has stopped", () -> !stopping.isAlive());
        assertThat(world.all(ids, PublicState.COMPLETED)).isTrue();
        assertThat(world.calls("close")).as("sessions").isEqualTo(2);
    }

    @Test
    void a_caller_that_is_interrupted_while_it_stops_an_engine_waits_for_no_handlers()
            throws Exception {
        var inside = new CountDownLatch(1);
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    inside.countDown();
                                    new CountDownLatch(1).await();
                                    return Payload.EMPTY;
                                }));
        var id = world.submit("welcome");
        inside.await();
        var stopping = Thread.ofVirtual().start(world.engine()::stop);

        stopping.interrupt();

        stopping.join();
        assertThat(world.state(id)).isEqualTo(PublicState.WAITING);
    }

    /** Each of them is a row and events that have to be removed again. */
    @Test
    void sessions_that_die_at_once_follow_each_other_slower_and_slower() {
        var time = new ManualTime();
        try (var other = new WorkerScenario(time)) {
            var dies = new AtomicBoolean(true);
            other.hook(
                    (call, real) -> {
                        var answer = real.call();
                        if (call.equals("open") && dies.get()) {
                            other.memory.sessions().close(((Session) real.argument()).id());
                        }
                        return answer;
                    });
            other.worker().handle("welcome", task -> Payload.EMPTY).start();

            eventually("there is another one at once", () -> other.calls("open") == 2);
            eventually("and then a pause", () -> time.waiting("mailer-claimer") == 1);
            assertThat(other.calls("open")).isEqualTo(2);
            time.pass(Duration.ofSeconds(4));
            // After 0.05, 0.1, 0.2, 0.4, 0.8 and 1.6 seconds.
            assertThat(other.calls("open")).isBetween(6, 9);

            dies.set(false);
            var id = other.submit("welcome");
            eventually(time, "it goes on", () -> other.state(id) == PublicState.COMPLETED);
        }
    }

    @Test
    void many_workers_come_and_go_and_everything_is_done() {
        var ids = world.submit("welcome", 500);
        for (int i = 0; i < 20; i++) {
            var worker =
                    world.start(world.worker().concurrency(3).handle("welcome", t -> t.input()));
            Eventually.pause(Duration.ofMillis(5));
            worker.stop(Duration.ofSeconds(10));
            assertThat(ids.stream().filter(id -> world.state(id) == PublicState.ACTIVE)).isEmpty();
        }
        world.start(world.worker().handle("welcome", task -> task.input()));

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(ids).allMatch(id -> world.view(id).reclaims() == 0);
        assertThat(ids).allMatch(id -> world.view(id).attempts() == 1);
    }
}
