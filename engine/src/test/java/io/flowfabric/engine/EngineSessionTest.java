package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

class EngineSessionTest {
    private static final Attribution OPERATOR = new Attribution("olga", "test");
    private static final Session SESSION = Session.of("worker", "one", "default");

    /** What a test does in the middle of a call. */
    private interface Step {
        void take() throws Exception;
    }

    private final ManualTime time = new ManualTime();
    private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
    private final AtomicReference<String> failing = new AtomicReference<>("");
    private final AtomicReference<String> losing = new AtomicReference<>("");
    private final AtomicReference<String> hanging = new AtomicReference<>("");
    private final AtomicReference<Step> beforeHeartbeat = new AtomicReference<>(() -> {});
    private final AtomicReference<Step> afterHeartbeat = new AtomicReference<>(() -> {});
    private final CountDownLatch unhang = new CountDownLatch(1);
    private final MemoryStore memory = new MemoryStore(time);
    private final Tally tally = new Tally();
    private final Store store = HookedStore.over(memory, this::around);
    private final Engine engine = new Engine(store, EngineOptions.DEFAULT, tally, time);
    private final Recorder holder = new Recorder();
    private final EngineSession session = engine.session(SESSION.id(SessionId.mint()), holder);

    @BeforeEach
    void start() {
        engine.start();
    }

    @AfterEach
    void stop() {
        unhang.countDown();
        losing.set("");
        failing.set("");
        session.stop();
        engine.stop();
    }

    @Test
    void it_lives_for_as_long_as_it_is_not_stopped() {
        startSession();

        time.pass(SESSION.ttl().multipliedBy(3));

        assertThat(session.alive()).isTrue();
        assertThat(holder.deaths).hasValue(0);
        // Every five seconds, for a minute and a half.
        assertThat(calls("heartbeat")).isBetween(17, 19);
    }

    @Test
    void a_holder_that_names_no_time_is_left_alone_until_it_asks() {
        startSession();
        time.pass(Duration.ofSeconds(20));
        assertThat(holder.attended).hasValue(1);

        session.attendSoon();

        eventually(time, "it is called", () -> holder.attended.get() == 2);
    }

    @Test
    void stopping_it_gives_its_work_back_at_once() throws Exception {
        startSession();
        var lease = claimed();

        session.stop();

        assertThat(state(lease.fence().execution())).isEqualTo(PublicState.WAITING);
        assertThat(session.alive()).isFalse();
        assertThatThrownBy(() -> session.claim(() -> 1, Duration.ZERO))
                .isInstanceOf(NotFound.class);
        assertThat(holder.deaths).hasValue(0);
    }

    @Test
    void it_tells_which_leases_are_lost() throws Exception {
        startSession();
        var lost = claimed();
        var kept = claimed();
        holder.held.addAll(List.of(lost.fence(), kept.fence()));

        memory.operations()
                .act(List.of(new OperatorCommand.Revoke(lost.fence().execution())), OPERATOR);
        time.pass(Duration.ofSeconds(6));

        eventually("it is told", () -> holder.lost.contains(lost.fence()));
        assertThat(holder.held).containsExactly(kept.fence());
        eventually("it is counted", () -> tally.of("fenced HEARTBEAT") == 1);
    }

    /** R16: a lease whose end the store has lost would stay for as long as the session does. */
    @Test
    void it_gives_way_when_the_store_has_leases_that_it_does_not_know() throws Exception {
        startSession();
        holder.held.add(claimed().fence());
        time.pass(Duration.ofSeconds(60));
        assertThat(session.alive()).isTrue();
        var forgotten = claimed();

        eventually(time, "it is over", () -> holder.deaths.get() == 1);
        session.stop();
        assertThat(state(forgotten.fence().execution())).isEqualTo(PublicState.WAITING);
    }

    /** The store looks between the two moments at which the session can look itself. */
    @Test
    void work_that_comes_and_goes_while_a_heartbeat_is_under_way_is_known() {
        startSession();
        beforeHeartbeat.set(() -> holder.held.add(claimed().fence()));
        afterHeartbeat.set(
                () -> {
                    var end = new Ending.Complete(holder.held.iterator().next(), Payload.EMPTY);
                    memory.leases().end(List.of(end)).getFirst().orThrow();
                    holder.held.clear();
                });

        time.pass(Duration.ofSeconds(60));

        assertThat(holder.deaths).hasValue(0);
        assertThat(calls("claim")).isGreaterThan(9);
    }

    /** A claim under way may have leases that nobody knows of; it says nothing about others. */
    @Test
    void leases_that_it_does_not_know_are_noticed_although_claims_are_under_way_now_and_then()
            throws Exception {
        startSession();
        claimed();
        beforeHeartbeat.set(
                () -> {
                    if (calls("heartbeat") % 2 == 0) {
                        breakOffClaim();
                    } else {
                        session.claim(() -> 1, Duration.ZERO);
                    }
                });

        eventually(time, "it is over", () -> holder.deaths.get() == 1);
    }

    /** Leaves a claim behind that has no answer. */
    private void breakOffClaim() {
        failing.set("claim");
        assertThatThrownBy(
                        () ->
                                session.claim(
                                        () -> {
                                            Thread.currentThread().interrupt();
                                            return 1;
                                        },
                                        Duration.ZERO))
                .isInstanceOf(StoreFailure.class);
        assertThat(Thread.interrupted()).isTrue();
        failing.set("");
    }

    /** R18: a store that takes work from a session says so; the next heartbeat is due then. */
    @Test
    void it_asks_what_is_lost_as_soon_as_something_may_be() throws Exception {
        startSession();
        var lease = claimed();
        holder.held.add(lease.fence());
        int before = calls("heartbeat");
        long began = time.nanos();

        memory.operations()
                .act(List.of(new OperatorCommand.Cancel(lease.fence().execution())), OPERATOR);

        eventually(time, "it is told", () -> holder.lost.contains(lease.fence()));
        assertThat(time.nanos() - began).isLessThan(Duration.ofSeconds(1).toNanos());
        time.pass(Duration.ofSeconds(2));
        assertThat(calls("heartbeat")).as("asked once").isEqualTo(before + 1);
    }

    /** R18: heartbeats that cannot name everything at once name each of it in its turn. */
    @Test
    void however_many_leases_are_held_each_of_them_is_asked_about_in_its_turn() {
        var lost = ConcurrentHashMap.<Fence>newKeySet();
        var fences =
                IntStream.range(0, 25_000)
                        .mapToObj(i -> new Fence(ExecutionId.mint(Namespace.DEFAULT), 0, 1))
                        .collect(Collectors.toSet());
        var many =
                engine.session(
                        SESSION.id(SessionId.mint()),
                        new EngineSession.Holder() {
                            @Override
                            public Set<Fence> held() {
                                return fences;
                            }

                            @Override
                            public int lost(Set<Fence> some) {
                                lost.addAll(some);
                                return some.size();
                            }

                            @Override
                            public void died() {}
                        });
        try (many) {
            many.start();
            eventually("it waits", () -> time.waiting("ff-heart") == 1);

            time.pass(Duration.ofSeconds(16));

            assertThat(lost).hasSize(25_000);
            assertThat(calls("heartbeat")).isEqualTo(3);
        }
    }

    /** R5: after a fault on one of its threads nobody knows what it still does. */
    @Test
    void a_fault_while_it_watches_is_its_end() {
        var deaths = new AtomicInteger();
        var faulty =
                engine.session(
                        SESSION.id(SessionId.mint()),
                        new EngineSession.Holder() {
                            @Override
                            public Set<Fence> held() {
                                return Set.of();
                            }

                            @Override
                            public int lost(Set<Fence> some) {
                                return 0;
                            }

                            @Override
                            public long attend() {
                                throw new LinkageError("by a test");
                            }

                            @Override
                            public void died() {
                                deaths.incrementAndGet();
                                throw new LinkageError("and again");
                            }
                        });
        try (faulty) {
            faulty.start();

            eventually(time, "the holder knows", () -> deaths.get() == 1);

            assertThat(faulty.alive()).isFalse();
            assertThat(tally.of("session died")).isEqualTo(1);
        }
    }

    @Test
    void it_gives_itself_up_before_the_store_does() {
        startSession();
        eventually(time, "a first heartbeat", () -> calls("heartbeat") > 0);
        failing.set("heartbeat");

        // The last sign that the store has seen is up to five seconds old by now.
        time.pass(Duration.ofSeconds(19));
        assertThat(session.alive()).isTrue();
        time.pass(Duration.ofSeconds(7));

        assertThat(session.alive()).isFalse();
        eventually("the holder knows", () -> holder.deaths.get() == 1);
        assertThat(tally.of("session died")).isEqualTo(1);
        assertThatThrownBy(() -> session.claim(() -> 1, Duration.ZERO))
                .isInstanceOf(NotFound.class);
    }

    @Test
    void it_gives_itself_up_although_the_store_hangs() {
        startSession();
        time.pass(SESSION.heartbeatEvery().plusSeconds(2));
        var over = SESSION.heartbeatEvery().plus(SESSION.givesItselfUpAfter()).toNanos();
        hanging.set("heartbeat");
        // Whoever watches for its end counts from the heartbeat, and not from this look.
        session.attendSoon();
        eventually(time, "it has looked", () -> holder.attended.get() == 2);

        time.pass(Duration.ofNanos(over - time.nanos()).minusMillis(1));
        assertThat(holder.deaths).hasValue(0);
        time.pass(Duration.ofMillis(1));

        eventually("the holder knows", () -> holder.deaths.get() == 1);
        assertThat(session.alive()).isFalse();
    }

    @Test
    void a_heartbeat_that_fails_is_repeated_soon() {
        startSession();
        failing.set("heartbeat");
        eventually(time, "it has failed", () -> calls("heartbeat") >= 2);
        failing.set("");

        int before = calls("heartbeat");
        time.pass(Duration.ofSeconds(1));

        assertThat(calls("heartbeat")).isGreaterThan(before);
        time.pass(SESSION.ttl());
        assertThat(holder.deaths).hasValue(0);
    }

    @Test
    void it_learns_from_a_heartbeat_that_the_store_has_given_it_up() {
        startSession();

        memory.sessions().close(session.id());
        time.pass(Duration.ofSeconds(6));

        eventually("the holder knows", () -> holder.deaths.get() == 1);
        time.pass(Duration.ofMinutes(1));
        assertThat(holder.deaths).hasValue(1);
    }

    @Test
    void it_learns_from_a_claim_that_the_store_has_given_it_up() {
        startSession();
        memory.sessions().close(session.id());

        assertThatThrownBy(() -> session.claim(() -> 1, Duration.ZERO))
                .isInstanceOf(NotFound.class);

        assertThat(holder.deaths).hasValue(1);
    }

    @Test
    void a_claim_that_waits_ends_with_the_session() throws Exception {
        startSession();
        var ended = new CountDownLatch(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                session.claim(() -> 1, Duration.ofHours(1));
                            } catch (NotFound | InterruptedException expected) {
                                ended.countDown();
                            }
                        });
        eventually("it waits", () -> tally.of("parked") == 1);

        failing.set("heartbeat");
        eventually(time, "it is over", () -> holder.deaths.get() == 1);

        ended.await();
    }

    /** Handlers on a dead session are told first: what else is to be told may have to wait. */
    @Test
    void its_holder_hears_of_its_death_before_claims_that_wait_do() {
        var claimEnded = new CountDownLatch(1);
        var first = new AtomicReference<Boolean>();
        var dying =
                engine.session(
                        SESSION.id(SessionId.mint()),
                        new EngineSession.Holder() {
                            @Override
                            public Set<Fence> held() {
                                return Set.of();
                            }

                            @Override
                            public int lost(Set<Fence> some) {
                                return 0;
                            }

                            @Override
                            public void died() {
                                try {
                                    first.set(!claimEnded.await(100, TimeUnit.MILLISECONDS));
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                            }
                        });
        try (dying) {
            dying.start();
            Thread.ofVirtual()
                    .start(
                            () -> {
                                try {
                                    dying.claim(() -> 1, Duration.ofHours(1));
                                } catch (NotFound | InterruptedException expected) {
                                    claimEnded.countDown();
                                }
                            });
            eventually("it waits", () -> tally.of("parked") == 1);

            dying.giveUp("a test says so");

            assertThat(first).hasValue(true);
            eventually("its claim ends, too", () -> claimEnded.getCount() == 0);
        }
    }

    @Test
    void a_quiet_session_lives_and_claims_nothing() throws Exception {
        startSession();
        submit();
        var waited = new CountDownLatch(1);

        session.quiet();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                assertThat(session.claim(() -> 1, Duration.ofHours(1))).isEmpty();
                                waited.countDown();
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });

        waited.await();
        assertThat(calls("claim")).isZero();
        assertThat(session.alive()).isTrue();
    }

    @Test
    void a_claim_whose_answer_was_lost_is_asked_again_under_its_number() throws Exception {
        startSession();
        var id = submit();
        losing.set("claim");
        var got = new AtomicReference<List<Lease>>(List.of());

        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                got.set(session.claim(() -> 1, Duration.ofHours(1)));
                            } catch (InterruptedException e) {
                                throw new AssertionError(e);
                            }
                        });
        eventually(time, "answers are lost", () -> calls("claim") > 2);
        losing.set("");

        eventually(time, "it is answered", () -> got.get().size() == 1);
        assertThat(got.get().getFirst().fence().execution()).isEqualTo(id);
        assertThat(claims(id)).isEqualTo(1);
    }

    @Test
    void a_claim_that_was_interrupted_without_an_answer_is_asked_again_by_the_next()
            throws Exception {
        startSession();
        var id = submit();
        losing.set("claim");
        var claimer =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    try {
                                        session.claim(() -> 1, Duration.ofHours(1));
                                    } catch (StoreFailure | InterruptedException expected) {
                                        // As it should be.
                                    }
                                });
        eventually("an answer is lost", () -> calls("claim") > 0);
        claimer.interrupt();
        claimer.join();
        losing.set("");

        var leases = session.claim(() -> 1, Duration.ZERO);

        assertThat(leases).hasSize(1);
        assertThat(leases.getFirst().fence().execution()).isEqualTo(id);
        assertThat(claims(id)).isEqualTo(1);
    }

    @Test
    void an_opening_whose_answer_was_lost_is_repeated() {
        losing.set("open");
        var started = new AtomicBoolean();
        Thread.ofVirtual().start(() -> eventually(time, "it has started", started::get));
        Thread.ofVirtual()
                .start(
                        () -> {
                            eventually("it was lost", () -> calls("open") > 0);
                            losing.set("");
                        });

        session.start();
        started.set(true);

        assertThat(session.alive()).isTrue();
    }

    @Test
    void an_opening_that_is_refused_is_not_repeated() {
        var taken = SESSION.id(session.id()).ttl(Duration.ofSeconds(7));
        memory.sessions().open(taken);

        assertThatThrownBy(session::start).isInstanceOf(Conflict.class);

        assertThat(calls("open")).isEqualTo(1);
        assertThat(session.running()).isFalse();
    }

    @Test
    void a_time_to_live_that_leaves_no_time_for_heartbeats_is_refused() {
        assertThatThrownBy(() -> engine.session(SESSION.ttl(Duration.ofMillis(99)), new Recorder()))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("100 ms");
        engine.session(SESSION.ttl(Duration.ofMillis(100)), new Recorder());
    }

    /** Each try takes as long as the store is waited for, and there are thirty seconds in all. */
    @Test
    void a_store_that_has_not_answered_for_long_is_told_of_the_end_once() {
        startSession();
        failing.set("heartbeat");
        time.pass(Duration.ofSeconds(11));
        failing.set("close");

        var stopping = Thread.ofVirtual().start(session::stop);

        eventually(time, "it has stopped", () -> !stopping.isAlive());
        assertThat(holder.deaths).hasValue(0);
        assertThat(calls("close")).isEqualTo(1);
    }

    /** One heartbeat that was missed is no reason to let its work wait for its time to live. */
    @Test
    void a_store_that_has_answered_lately_is_told_of_the_end_five_times_after_ever_longer_waits() {
        startSession();
        failing.set("heartbeat");
        time.pass(SESSION.heartbeatEvery().multipliedBy(2));
        failing.set("close");
        var stopping = Thread.ofVirtual().start(session::stop);
        eventually("it was told once", () -> calls("close") == 1);
        long began = time.nanos();

        eventually(time, "it has stopped", () -> !stopping.isAlive());

        assertThat(calls("close")).isEqualTo(5);
        // After 50, 100, 200 and 400 ms.
        assertThat(Duration.ofNanos(time.nanos() - began))
                .isBetween(Duration.ofMillis(750), Duration.ofMillis(1500));
    }

    /** Time must not pass before its threads look at it. */
    private void startSession() {
        session.start();
        eventually(
                "its threads wait",
                () -> time.waiting("ff-heart") == 1 && time.waiting("ff-watch") == 1);
    }

    private Object around(String call, Callable<Object> real) throws Exception {
        calls.computeIfAbsent(call, first -> new AtomicInteger()).incrementAndGet();
        if (call.equals(hanging.get())) {
            unhang.await();
        }
        if (call.equals(failing.get())) {
            throw new StoreFailure("Broken by a test.", false, new IllegalStateException());
        }
        boolean beats = call.equals("heartbeat");
        if (beats) {
            beforeHeartbeat.get().take();
        }
        var answer = real.call();
        if (beats) {
            afterHeartbeat.get().take();
        }
        if (call.equals(losing.get())) {
            throw new StoreFailure("Lost by a test.", true, new IllegalStateException());
        }
        return answer;
    }

    private int calls(String call) {
        var count = calls.get(call);
        return count == null ? 0 : count.get();
    }

    private Lease claimed() throws InterruptedException {
        submit();
        return session.claim(() -> 1, Duration.ZERO).getFirst();
    }

    private ExecutionId submit() {
        var submission = Submission.of("kind", Payload.EMPTY);
        return memory.submissions().submit(List.of(submission)).getFirst().orThrow().id();
    }

    private PublicState state(ExecutionId id) {
        return memory.queries().describe(List.of(id)).getFirst().orThrow().state().publicState();
    }

    private long claims(ExecutionId id) {
        return memory.queries().history(id).stream()
                .filter(Event.Step.class::isInstance)
                .map(event -> ((Event.Step) event).transition())
                .filter(Transition.CLAIM::equals)
                .count();
    }
}
