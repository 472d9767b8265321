package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** R5: an Error on a thread of a worker is not the end of what that thread does. */
class ErrorTest {
    private final Hiccups time = new Hiccups();
    private final WorkerScenario world = new WorkerScenario(time);

    @AfterEach
    void close() {
        world.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claim", "end"})
    void an_error_from_the_store_is_survived(String broken) {
        var errors = new AtomicInteger();
        world.hook(
                (call, real) -> {
                    if (call.equals(broken) && errors.incrementAndGet() <= 3) {
                        throw new LinkageError("by a test");
                    }
                    return real.call();
                });
        var worker = world.start(world.worker().handle("welcome", task -> Payload.EMPTY));

        var ids = world.submit("welcome", 10);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(errors.get()).isGreaterThan(3);
        assertThat(worker.running()).isTrue();
        for (var id : ids) {
            assertThat(world.steps(id))
                    .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
        }
    }

    @Test
    void a_heart_that_meets_nothing_but_errors_ends_its_session_and_another_one_goes_on() {
        var broken = new AtomicBoolean(true);
        world.hook(
                (call, real) -> {
                    if (call.equals("heartbeat") && broken.get()) {
                        throw new LinkageError("by a test");
                    }
                    return real.call();
                });
        world.start(
                world.worker()
                        .ttl(Duration.ofMillis(600))
                        .handle("welcome", task -> Payload.EMPTY));
        eventually("there is another session", () -> world.calls("open") >= 2);

        broken.set(false);

        var ids = world.submit("welcome", 10);
        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(world.tally.of("not renewed")).isPositive();
    }

    @Test
    void leases_that_could_not_be_taken_on_end_with_their_session_and_another_one_goes_on() {
        var first = new AtomicBoolean(true);
        world.hook(
                (call, real) -> {
                    var answer = real.call();
                    return answer instanceof Claimed(var leases, var shut, var more)
                                    && !leases.isEmpty()
                                    && first.getAndSet(false)
                            ? new Claimed(List.of(unfenced(leases.getFirst())), shut, more)
                            : answer;
                });
        world.start(world.worker().handle("welcome", task -> Payload.EMPTY));

        var ids = world.submit("welcome", 10);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(world.calls("open")).isEqualTo(2);
    }

    @SuppressWarnings("NullAway") // a lease that is wrong
    private static Lease unfenced(Lease lease) {
        return new Lease(
                null,
                lease.session(),
                lease.next(),
                lease.lane(),
                lease.kind(),
                lease.input(),
                lease.tags(),
                lease.policy(),
                lease.retriesUsed(),
                lease.since(),
                lease.deadline());
    }

    @Test
    void a_task_that_could_not_be_run_is_given_back_and_so_is_its_slot() {
        // The first thread of a handler asks for the time before its handler begins, in
        // Assignment.run, to see whether its attempt is over by then.
        time.hiccupOn("mailer-0");
        world.start(world.worker().concurrency(1).handle("welcome", task -> Payload.EMPTY));

        var ids = world.submit("welcome", 3);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(ids.stream().flatMap(id -> world.steps(id).stream()))
                .containsOnlyOnce(Transition.RELEASE);
    }

    @Test
    void a_thread_that_cannot_be_had_costs_no_slot_and_no_work() {
        var asked = new AtomicInteger();
        var scarce = new AtomicBoolean();
        world.start(
                world.worker()
                        .concurrency(1)
                        .threads(
                                task -> {
                                    if (scarce.get() && asked.incrementAndGet() <= 3) {
                                        throw new OutOfMemoryError("no thread, by a test");
                                    }
                                    return Thread.ofVirtual().name("mine").unstarted(task);
                                })
                        .handle("welcome", task -> Payload.EMPTY));
        // Quick handlers, so that some are prefetched and begun by the end of others.
        var warm = world.submit("welcome", 50);
        eventually("it is warm", () -> world.all(warm, PublicState.COMPLETED));
        scarce.set(true);

        var ids = world.submit("welcome", 50);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(asked.get()).isGreaterThan(3);
        assertThat(world.tally.of("session died")).isZero();
        assertThat(ids).allMatch(id -> world.view(id).reclaims() == 0);
    }

    @Test
    void where_no_thread_can_be_had_all_that_was_claimed_is_given_back_at_once() {
        var asked = new AtomicInteger();
        var scarce = new AtomicBoolean(true);
        world.start(
                world.worker()
                        .concurrency(200)
                        .threads(
                                task -> {
                                    if (scarce.get()) {
                                        asked.incrementAndGet();
                                        throw new OutOfMemoryError("no thread, by a test");
                                    }
                                    return Thread.ofVirtual().name("mine").unstarted(task);
                                })
                        .handle("welcome", task -> Payload.EMPTY));

        var ids = world.submit("welcome", 200);

        eventually(
                "all are given back",
                () -> ids.stream().allMatch(id -> world.steps(id).contains(Transition.RELEASE)));
        assertThat(asked.get()).as("not once for each").isLessThan(20);
        scarce.set(false);
        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(ids).allMatch(id -> world.view(id).reclaims() == 0);
    }

    @Test
    void a_fault_on_the_thread_of_a_heart_ends_the_session_at_once_and_another_one_goes_on() {
        var broken = new AtomicBoolean(true);
        world.hook(
                (call, real) -> {
                    if (call.equals("heartbeat") && broken.getAndSet(false)) {
                        throw new LinkageError("by a test");
                    }
                    return real.call();
                });
        // Half a minute would pass until it counts itself as dead.
        var worker =
                world.start(
                        world.worker()
                                .ttl(Duration.ofSeconds(30))
                                .handle(
                                        "welcome",
                                        task -> {
                                            if (broken.get()) {
                                                new CountDownLatch(1).await();
                                            }
                                            return Payload.EMPTY;
                                        }));
        var id = world.submit("welcome");
        eventually("it runs", () -> world.state(id) == PublicState.ACTIVE);

        // The notice that something is lost makes a heartbeat due.
        world.memory
                .operations()
                .act(
                        List.of(new OperatorCommand.Revoke(id)),
                        new Attribution("ada", "so that its worker asks"));

        eventually("there is another session", () -> world.calls("open") == 2);
        eventually("it is done there", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(world.tally.of("session died")).isEqualTo(1);
        assertThat(worker.running()).isTrue();
    }

    @Test
    void an_item_that_a_committer_cannot_deal_with_is_lost_alone_and_the_committer_goes_on() {
        var committed = ConcurrentHashMap.<String>newKeySet();
        var lost = ConcurrentHashMap.<String>newKeySet();
        var committers =
                new Committers<>(
                        new Commit<String>() {
                            @Override
                            public String items() {
                                return "words";
                            }

                            @Override
                            public Set<String> commit(List<String> batch) {
                                if (batch.contains("bad")) {
                                    throw new LinkageError("by a test");
                                }
                                committed.addAll(batch);
                                return Set.of();
                            }

                            @Override
                            public boolean failedAlone(String item, Throwable why) {
                                throw new LinkageError("again");
                            }

                            @Override
                            public void lost(String item, Throwable why) {
                                lost.add(item);
                                throw new LinkageError("and again");
                            }
                        },
                        Time.SYSTEM,
                        "some",
                        () -> {});
        try (committers) {
            committers.start();
            List.of("a", "bad", "b", "bad", "c").forEach(committers::add);

            eventually("all are settled", () -> committers.unsettled() == 0);

            assertThat(committed).containsExactlyInAnyOrder("a", "b", "c");
            assertThat(lost).containsExactly("bad");
            assertThat(committers.add("d")).isTrue();
            eventually("it goes on", () -> committed.contains("d"));
        }
    }

    @Test
    void metrics_that_throw_errors_are_no_matter_of_the_work() {
        try (var store = new MemoryStore(InstantSource.system());
                var engine = new Engine(store, EngineOptions.DEFAULT, new Broken())) {
            engine.start();
            try (var worker =
                    Worker.on(engine)
                            .lane(WorkerScenario.LANE.name())
                            .concurrency(1)
                            .handle("welcome", task -> Payload.EMPTY)
                            .start()) {
                var ids =
                        List.of("a", "b", "c").stream()
                                .map(text -> WorkerScenario.submission("welcome", text))
                                .map(work -> engine.submissions().submit(List.of(work)))
                                .map(answers -> answers.getFirst().orThrow().id())
                                .toList();

                eventually(
                        "all are done",
                        () ->
                                store.queries().describe(ids).stream()
                                        .map(answer -> answer.orThrow().state().publicState())
                                        .allMatch(PublicState.COMPLETED::equals));
                assertThat(worker.running()).isTrue();
            }
        }
    }

    /** Metrics whose registry is not there. */
    private static final class Broken implements EngineMetrics {
        @Override
        public void claimed(int count) {
            throw new NoClassDefFoundError("by a test");
        }

        @Override
        public void answered(MeasuredCall call, int got, Set<AdmissionBlock> shut) {
            throw new NoClassDefFoundError("by a test");
        }

        @Override
        public void ended(Transition transition, int count) {
            throw new NoClassDefFoundError("by a test");
        }

        @Override
        public void attempted(Lane lane, Transition transition, int count) {
            throw new NoClassDefFoundError("by a test");
        }

        @Override
        public void atCapacity() {
            throw new NoClassDefFoundError("by a test");
        }

        @Override
        public void parked(int change) {
            throw new NoClassDefFoundError("by a test");
        }
    }

    /** The time of this machine, which one thread cannot read once. */
    private static final class Hiccups implements Time {
        private volatile String thread = "";

        void hiccupOn(String name) {
            thread = name;
        }

        @Override
        public Instant instant() {
            return Time.SYSTEM.instant();
        }

        @Override
        public long nanos() {
            if (Thread.currentThread().getName().equals(thread)) {
                thread = "";
                throw new LinkageError("by a test");
            }
            return Time.SYSTEM.nanos();
        }

        @Override
        public void park(long nanos) {
            Time.SYSTEM.park(nanos);
        }
    }
}
