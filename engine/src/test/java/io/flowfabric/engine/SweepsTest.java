package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

class SweepsTest {
    private final ManualTime time = new ManualTime();
    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicReference<String> failing = new AtomicReference<>("");
    private final Tally tally = new Tally();
    private final Store store = hooked(new MemoryStore(time));
    private Engine engine = new Engine(store, EngineOptions.DEFAULT, tally, time);

    @AfterEach
    void stop() {
        engine.stop();
    }

    @Test
    void delayed_work_becomes_ready_when_its_time_has_come() {
        engine.start();
        awaitFirstTurn();
        var id = submitted(Policy.DEFAULT.start(Due.in(Duration.ofSeconds(3))));

        time.pass(Duration.ofMillis(2980));
        assertThat(state(id)).isEqualTo(PublicState.DELAYED);

        time.pass(Duration.ofMillis(60));
        eventually("it is ready", () -> state(id) == PublicState.WAITING);
    }

    @Test
    void a_short_delay_does_not_wait_for_the_next_sweep() {
        engine.start();
        awaitFirstTurn();
        time.pass(Duration.ofMillis(600));

        var id = submitted(Policy.DEFAULT.start(Due.in(Duration.ofMillis(40))));
        time.pass(Duration.ofMillis(80));

        eventually("it is ready", () -> state(id) == PublicState.WAITING);
    }

    @Test
    void a_short_deadline_does_not_wait_for_the_next_sweep() {
        engine.start();
        awaitFirstTurn();
        time.pass(Duration.ofMillis(600));
        var later = Policy.DEFAULT.start(Due.in(Duration.ofHours(1)));

        var id = submitted(later.deadline(Due.in(Duration.ofMillis(40))));
        time.pass(Duration.ofMillis(80));

        eventually("it has expired", () -> state(id) == PublicState.EXPIRED);
    }

    @Test
    void work_of_a_short_grant_that_is_not_redeemed_does_not_wait_for_the_next_sweep() {
        engine.start();
        awaitFirstTurn();
        var session = session();
        store.sessions().open(session);
        var id = submitted(Policy.DEFAULT);
        time.pass(Duration.ofMillis(600));

        engine.grants().claimForWorker(new Claim(session.id(), 1, 1), Duration.ofMillis(40));
        time.pass(Duration.ofMillis(80));

        eventually(
                "it is back",
                () ->
                        store.queries().history(id).getLast() instanceof Event.Step step
                                && step.transition() == Transition.FORFEIT);
    }

    @Test
    void a_store_where_something_is_due_that_it_does_not_do_is_asked_ever_less_often() {
        var asked = new AtomicInteger();
        var stuck =
                HookedStore.over(
                        new MemoryStore(time),
                        (call, real) -> {
                            if (!call.equals("nextDue")) {
                                return real.call();
                            }
                            asked.incrementAndGet();
                            return Optional.of(Duration.ofHours(-1));
                        });
        var sweeps = new Sweeps(stuck.maintenance(), EngineOptions.DEFAULT, tally, time);
        sweeps.start();

        int before = 1;
        for (long wait : List.of(20L, 40L, 80L, 160L, 320L, 500L, 500L)) {
            int asks = before;
            eventually("it waits", () -> asked.get() == asks && time.waiting("ff-sweeps") == 1);
            int waits = time.waits("ff-sweeps");
            time.skip(Duration.ofMillis(wait - 1));
            eventually(
                    "it looks at the time",
                    () -> time.waits("ff-sweeps") > waits || asked.get() > asks);
            assertThat(asked).hasValue(asks);
            time.skip(Duration.ofMillis(1));
            eventually("it asks again", () -> asked.get() > asks);
            before++;
        }

        sweeps.stop();
    }

    @Test
    void a_short_delay_from_another_process_is_late_by_one_sweep_at_most() {
        engine.start();
        awaitFirstTurn();
        time.pass(Duration.ofMillis(600));

        var id = submitted(store, Policy.DEFAULT.start(Due.in(Duration.ofMillis(40))));
        time.pass(EngineOptions.DEFAULT.sweepEvery().plusMillis(50));

        eventually("it is ready", () -> state(id) == PublicState.WAITING);
    }

    @Test
    void a_worker_that_delays_its_work_gets_it_back_in_time() {
        engine.start();
        awaitFirstTurn();
        var session = session();
        store.sessions().open(session);
        submitted(Policy.DEFAULT);
        var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
        time.pass(Duration.ofMillis(600));

        var until = Due.in(Duration.ofMillis(40));
        engine.leases().end(List.of(new Ending.Delay(lease.fence(), until))).getFirst().orThrow();
        time.pass(Duration.ofMillis(80));

        eventually("it is ready", () -> state(lease.fence().execution()) == PublicState.WAITING);
    }

    @Test
    void work_of_a_dead_session_is_back_within_a_second() {
        engine.start();
        awaitFirstTurn();
        var session = session();
        store.sessions().open(session);
        submitted(Policy.DEFAULT);
        var id =
                store.claims()
                        .claim(new Claim(session.id(), 1, 1))
                        .leases()
                        .getFirst()
                        .fence()
                        .execution();

        time.pass(session.ttl().minusMillis(50));
        assertThat(state(id)).isEqualTo(PublicState.ACTIVE);

        time.pass(Duration.ofSeconds(1));
        assertThat(state(id)).isEqualTo(PublicState.WAITING);
    }

    @Test
    void ended_work_is_forgotten_after_its_retention() {
        engine.start();
        awaitFirstTurn();
        var session = session();
        store.sessions().open(session);
        var id = submitted(Policy.DEFAULT.retention(Duration.ofSeconds(1)));
        var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
        store.leases().end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)));

        time.pass(EngineOptions.DEFAULT.retentionEvery().plusSeconds(1));

        assertThat(store.queries().describe(List.of(id)).getFirst())
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error()).isInstanceOf(NotFound.class));
    }

    @Test
    void a_sweep_goes_on_until_there_is_nothing_more() {
        engine = new Engine(store, EngineOptions.DEFAULT.sweepLimit(3), tally, time);
        engine.start();
        awaitFirstTurn();
        var ids =
                IntStream.range(0, 20)
                        .mapToObj(
                                i -> submitted(Policy.DEFAULT.start(Due.in(Duration.ofSeconds(1)))))
                        .toList();

        time.pass(Duration.ofMillis(1100));

        eventually(
                "all are ready",
                () -> ids.stream().allMatch(id -> state(id) == PublicState.WAITING));
    }

    @Test
    void a_sweep_that_fails_is_counted_and_does_not_end_the_sweeps() {
        engine.start();
        awaitFirstTurn();
        failing.set("tick");
        eventually(time, "errors are counted", () -> tally.of("sweep errors TIMERS") > 2);
        assertThat(tally.of("sweep errors SESSIONS")).isPositive();
        failing.set("");

        var id = submitted(Policy.DEFAULT.start(Due.in(Duration.ofSeconds(1))));

        eventually(time, "it is ready", () -> state(id) == PublicState.WAITING);
    }

    @Test
    void a_store_that_does_not_know_what_is_next_is_swept_all_the_same() {
        engine.start();
        awaitFirstTurn();
        failing.set("nextDue");
        eventually(time, "it fails", () -> calls.get() > 10);
        failing.set("");
        var id = submitted(store, Policy.DEFAULT.start(Due.in(Duration.ofSeconds(1))));

        eventually(time, "it is ready", () -> state(id) == PublicState.WAITING);
    }

    @Test
    void clocks_that_differ_do_no_harm() {
        for (var skew : List.of(Duration.ofSeconds(-5), Duration.ofSeconds(5))) {
            InstantSource elsewhere = () -> time.instant().plus(skew);
            try (var other = new MemoryStore(elsewhere);
                    var skewed = new Engine(hooked(other), EngineOptions.DEFAULT, tally, time)) {
                skewed.start();
                awaitFirstTurn();
                var id = submitted(other, Policy.DEFAULT.start(Due.in(Duration.ofSeconds(7))));
                int before = calls.get();

                time.pass(Duration.ofMillis(9100));

                assertThat(other.queries().describe(List.of(id)).getFirst().orThrow().state())
                        .extracting(state -> state.publicState())
                        .as("with the store's clock off by %s", skew)
                        .isEqualTo(PublicState.WAITING);
                assertThat(calls.get() - before).as("calls in nine seconds").isLessThan(100);
            }
        }
    }

    @Test
    void an_idle_engine_makes_fewer_than_five_calls_a_second() throws Exception {
        engine.start();
        awaitFirstTurn();
        var worker = engine.session(session(), new Recorder());
        worker.start();
        var claimer = Thread.ofVirtual().start(() -> claimForEver(worker));
        // What has ended, and what is far away, must not keep it busy.
        submitted(Policy.DEFAULT.start(Due.in(Duration.ofHours(1))));
        time.pass(Duration.ofSeconds(3));

        int before = calls.get();
        time.pass(Duration.ofSeconds(60));

        assertThat((calls.get() - before) / 60.0).as("calls a second").isLessThan(5);
        assertThat(calls.get() - before).as("calls").isGreaterThan(60);
        worker.stop();
        claimer.join();
    }

    /** Time that passes before anybody looks at it is no test of anything. */
    private void awaitFirstTurn() {
        int before = calls.get();
        eventually(time, "the sweeps have begun", () -> calls.get() > before + 8);
    }

    private static void claimForEver(EngineSession session) {
        try {
            while (session.running()) {
                session.claim(() -> 1, Duration.ofMinutes(1));
            }
        } catch (NotFound | InterruptedException over) {
            // The test has ended.
        }
    }

    private static Session session() {
        return Session.of("worker", "one", "default");
    }

    private ExecutionId submitted(Policy policy) {
        var submission = Submission.of("kind", Payload.EMPTY).policy(policy);
        return engine.submissions().submit(List.of(submission)).getFirst().orThrow().id();
    }

    /** Past the engine, as another process would. */
    private static ExecutionId submitted(Store store, Policy policy) {
        var submission = Submission.of("kind", Payload.EMPTY).policy(policy);
        return store.submissions().submit(List.of(submission)).getFirst().orThrow().id();
    }

    private PublicState state(ExecutionId id) {
        ExecutionView view = store.queries().describe(List.of(id)).getFirst().orThrow();
        return view.state().publicState();
    }

    private Store hooked(Store real) {
        return HookedStore.over(
                real,
                (call, go) -> {
                    if (!call.equals("describe")) {
                        calls.incrementAndGet();
                    }
                    if (call.equals(failing.get())) {
                        throw new IllegalStateException(call + " broken by a test");
                    }
                    return go.call();
                });
    }
}
