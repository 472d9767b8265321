package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

class ClaimWaiterTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** A lost wake-up is not mended by a poll: it hangs the test. */
    private static final EngineOptions NO_POLL =
            EngineOptions.DEFAULT.safetyPoll(Duration.ofDays(1));

    private final AtomicInteger looks = new AtomicInteger();
    private final AtomicBoolean deaf = new AtomicBoolean();

    /** So many looks find nothing, and say that there may be something elsewhere. */
    private final AtomicInteger elsewhere = new AtomicInteger();

    private final Tally tally = new Tally();
    private final Store store =
            HookedStore.over(
                    new MemoryStore(InstantSource.system()),
                    (call, real) -> {
                        if (call.equals("claim")) {
                            looks.incrementAndGet();
                            if (elsewhere.getAndUpdate(n -> Math.max(0, n - 1)) > 0) {
                                return new Claimed(List.of(), Set.of(), true);
                            }
                        }
                        return call.equals("listen") && deaf.get()
                                ? (AutoCloseableListening) () -> {}
                                : real.call();
                    });
    private Engine engine = new Engine(store, NO_POLL, tally);
    private final Queue<Claimer> claimers = new ConcurrentLinkedQueue<>();

    private interface AutoCloseableListening extends io.flowfabric.core.store.Wakeups.Listening {}

    @AfterEach
    void stop() throws InterruptedException {
        engine.stop();
        for (var claimer : claimers) {
            claimer.thread.join();
        }
    }

    @Test
    void work_that_is_there_is_got_without_waiting() throws Exception {
        engine.start();
        submit(3, "kind");

        assertThat(place("kind").claim(2)).hasSize(2);
        assertThat(place("kind").claim(2)).hasSize(1);
    }

    @Test
    void a_look_that_found_nothing_where_there_may_be_more_is_followed_by_another_at_once()
            throws Exception {
        engine.start();
        elsewhere.set(3);
        submit(1, "kind");

        assertThat(place("kind").claim(1)).hasSize(1);
        assertThat(looks).hasValue(4);
    }

    @Test
    void looks_that_find_nothing_although_there_may_be_more_become_rare() throws Exception {
        engine.start();
        var session = open("kind");

        try (var place = engine.place(session)) {
            assertThat(
                            place.claim(
                                    () -> {
                                        looks.incrementAndGet();
                                        return new ClaimWaiter.Found(List.of(), true);
                                    },
                                    Duration.ofMillis(500)))
                    .isEmpty();
        }

        assertThat(looks.get()).isBetween(3, 60);
    }

    @Test
    void work_that_comes_while_looks_are_rare_is_looked_for_at_once() {
        engine.start();
        elsewhere.set(42);
        var claimer = waiting(1, "kind");

        submit(1, "kind");

        eventually("it has got it", () -> claimer.got.size() == 1);
    }

    @Test
    void whoever_found_nothing_gets_what_comes_later() {
        engine.start();
        var claimer = waiting(1, "kind");

        var ids = submit(1, "kind");

        eventually("it has got it", () -> claimer.got.size() == 1);
        assertThat(claimer.ids()).isEqualTo(ids);
    }

    @Test
    void a_wait_ends_with_nothing_when_its_time_is_over() throws Exception {
        engine.start();
        var session = open("kind");
        try (var place = engine.place(session)) {
            assertThat(place.claim(attempt(session, 1), Duration.ofMillis(30))).isEmpty();
        }
        // Once before it waits; and not again, because nothing has happened since.
        assertThat(looks).hasValue(1);
        assertThat(tally.of("parked")).isZero();
    }

    @Test
    void one_piece_of_work_does_not_wake_them_all() {
        engine.start();
        var crowd = crowd(50, "kind");
        int before = looks.get();

        submit(1, "kind");

        eventually("somebody has got it", () -> got(crowd).size() == 1);
        eventually("the others wait", () -> tally.of("parked") == 49);
        // Whoever got a full batch has let one other look.
        assertThat(looks.get() - before).isLessThanOrEqualTo(2);
    }

    @Test
    void much_work_in_one_commit_wakes_as_many_as_it_takes() {
        engine.start();
        var crowd = crowd(20, "kind");

        var ids = submit(20, "kind");

        eventually("all is claimed", () -> got(crowd).size() == 20);
        assertThat(got(crowd)).isEqualTo(ids);
    }

    @Test
    void only_those_who_serve_the_lane_and_see_the_kind_are_woken_in_vain() {
        engine.start();
        var red = crowd(3, "red");
        var blue = crowd(3, "blue");
        int before = looks.get();

        submit(1, "blue");

        eventually("it is claimed", () -> got(blue).size() == 1);
        eventually("the others wait", () -> tally.of("parked") == 5);
        assertThat(got(red)).isEmpty();
        assertThat(looks.get() - before).isLessThanOrEqualTo(3);
    }

    @Test
    void an_interrupted_claim_hands_its_signal_on() throws Exception {
        engine.start();
        for (int round = 0; round < 200; round++) {
            var first = waiting(1, "kind");
            var second = waiting(1, "kind");

            var interrupting = Thread.ofVirtual().start(first.thread::interrupt);
            var ids = submit(1, "kind");

            interrupting.join();
            eventually("it is claimed", () -> first.got.size() + second.got.size() == 1);
            second.thread.interrupt();
            first.thread.join();
            second.thread.join();
            assertThat(got(List.of(first, second))).isEqualTo(ids);
        }
    }

    @Test
    void a_look_that_fails_hands_its_signal_on() {
        engine.start();
        var session = open("kind");
        var place = engine.place(session);
        var failed = new AtomicBoolean();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                place.claim(failsTheSecondTime(), LONG);
                            } catch (IllegalStateException | InterruptedException e) {
                                failed.set(true);
                            }
                        });
        eventually("it waits", () -> tally.of("parked") == 1);
        var claimer = waiting(1, "kind");

        submit(1, "kind");

        eventually("the other has got it", () -> claimer.got.size() == 1);
        eventually("the first has failed", failed::get);
    }

    @Test
    void without_wake_ups_a_poll_finds_work_and_one_is_enough_for_all() {
        deaf.set(true);
        var time = new ManualTime();
        engine = new Engine(store, EngineOptions.DEFAULT, tally, time);
        engine.start();
        var crowd = crowd(10, "kind");
        int before = looks.get();

        time.pass(Duration.ofSeconds(10));
        assertThat(looks.get() - before).isBetween(8, 12);

        submit(3, "kind");
        time.pass(Duration.ofMillis(1100));
        eventually("all is claimed", () -> got(crowd).size() == 3);
    }

    @Test
    void nothing_is_overlooked_however_claims_and_submissions_meet() {
        engine.start();
        var wanted = ConcurrentHashMap.<ExecutionId>newKeySet();
        var got = ConcurrentHashMap.<ExecutionId>newKeySet();
        var producing = new AtomicInteger(4);
        var rest =
                IntStream.range(0, 12)
                        .mapToObj(i -> place("kind"))
                        .map(
                                place ->
                                        Thread.ofVirtual()
                                                .start(
                                                        () ->
                                                                takeAll(
                                                                        place, got, wanted,
                                                                        producing)))
                        .toList();
        for (int producer = 0; producer < 4; producer++) {
            int seed = producer;
            Thread.ofVirtual()
                    .start(
                            () -> {
                                for (int i = 0; i < 250; i++) {
                                    wanted.addAll(submit(1 + (i * seed) % 3, "kind"));
                                    if (i % 7 == seed) {
                                        LockSupport.parkNanos(1000);
                                    }
                                }
                                producing.decrementAndGet();
                            });
        }

        eventually("all is claimed", () -> producing.get() == 0 && got.equals(wanted));
        rest.forEach(Thread::interrupt);
    }

    @Test
    void a_stopping_engine_lets_everyone_go() throws Exception {
        engine.start();
        var crowd = crowd(5, "kind");

        engine.stop();

        for (var claimer : crowd) {
            claimer.thread.join();
            assertThat(claimer.got).isEmpty();
        }
        assertThatThrownBy(() -> engine.place(Session.of("w", "i", "default")))
                .isInstanceOf(Unavailable.class);
        assertThatThrownBy(
                        () -> crowd.getFirst().place.claim(() -> ClaimWaiter.Found.NOTHING, LONG))
                .isInstanceOf(Unavailable.class);
    }

    @Test
    void a_place_that_is_given_up_lets_its_claims_go() throws Exception {
        engine.start();
        var claimer = waiting(1, "kind");

        claimer.place.close();
        claimer.place.close();

        claimer.thread.join();
        assertThat(claimer.got).isEmpty();
    }

    // The people of these tests.

    private record Seat(Session session, ClaimWaiter place, AtomicLong numbers, Store store) {
        List<Lease> claim(int max) throws InterruptedException {
            return place.claim(
                    () -> {
                        var claim = new Claim(session.id(), numbers.incrementAndGet(), max);
                        var claimed = store.claims().claim(claim);
                        var leases = claimed.leases();
                        return new ClaimWaiter.Found(
                                leases, claimed.more() || leases.size() == max);
                    },
                    LONG);
        }
    }

    private static final class Claimer {
        final Queue<Lease> got = new ConcurrentLinkedQueue<>();
        final ClaimWaiter place;
        final Thread thread;

        Claimer(Seat seat, int max) {
            place = seat.place;
            thread =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            got.addAll(seat.claim(max));
                                        } catch (InterruptedException e) {
                                            // Then it has got nothing.
                                        }
                                    });
        }

        Set<ExecutionId> ids() {
            return ClaimWaiterTest.got(List.of(this));
        }
    }

    private static void takeAll(
            Seat place, Set<ExecutionId> got, Set<ExecutionId> wanted, AtomicInteger producing) {
        try {
            while (producing.get() > 0 || !got.equals(wanted)) {
                for (var lease : place.claim(2)) {
                    assertThat(got.add(lease.fence().execution())).isTrue();
                }
            }
        } catch (InterruptedException e) {
            // The test has ended.
        }
    }

    private ClaimWaiter.Attempt failsTheSecondTime() {
        var times = new AtomicInteger();
        return () -> {
            if (times.incrementAndGet() == 2) {
                throw new IllegalStateException("broken by a test");
            }
            return ClaimWaiter.Found.NOTHING;
        };
    }

    private ClaimWaiter.Attempt attempt(Session session, int max) {
        return () -> {
            var leases = store.claims().claim(new Claim(session.id(), 1, max)).leases();
            return new ClaimWaiter.Found(leases, leases.size() == max);
        };
    }

    private Seat place(String kind) {
        var session = open(kind);
        return new Seat(session, engine.place(session), new AtomicLong(), store);
    }

    private Session open(String kind) {
        var session = Session.of("worker", "one", "default").kinds(kind).ttl(Duration.ofHours(1));
        store.sessions().open(session);
        return session;
    }

    private Claimer waiting(int max, String kind) {
        int before = tally.of("parked");
        var claimer = new Claimer(place(kind), max);
        claimers.add(claimer);
        eventually("it waits", () -> tally.of("parked") == before + 1);
        return claimer;
    }

    private List<Claimer> crowd(int size, String kind) {
        var crowd = new ArrayList<Claimer>();
        for (int i = 0; i < size; i++) {
            crowd.add(waiting(1, kind));
        }
        return crowd;
    }

    private Set<ExecutionId> submit(int count, String kind) {
        var submissions =
                IntStream.range(0, count)
                        .mapToObj(i -> Submission.of(kind, Payload.EMPTY))
                        .toList();
        store.submissions().submit(submissions).forEach(answer -> answer.orThrow());
        return Set.copyOf(submissions.stream().map(Submission::id).toList());
    }

    private static Set<ExecutionId> got(List<Claimer> claimers) {
        return Set.copyOf(
                claimers.stream()
                        .flatMap(claimer -> claimer.got.stream())
                        .map(lease -> lease.fence().execution())
                        .toList());
    }
}
