package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * R20: a piece of work wakes one who waits for it, in one engine, and not one in each; and it is
 * never overlooked, whatever becomes of the one that was woken.
 */
class SharedWakeupsTest {
    private static final Duration LONG = Duration.ofMinutes(10);

    /** A lost wake-up is not mended by a poll: it hangs the test. */
    private static final EngineOptions NO_POLL =
            EngineOptions.DEFAULT.safetyPoll(Duration.ofDays(1));

    private final Store store = new MemoryStore(InstantSource.system());
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

    /** The first one is asked first whether it takes charge of new work. */
    private Member first = new Member();

    private final Member second = new Member();

    /** A process: an engine of its own, over the store of all. */
    private final class Member implements HookedStore.Hook {
        final AtomicInteger looks = new AtomicInteger();
        final AtomicReference<Runnable> beforeLook = new AtomicReference<>(() -> {});
        final Tally tally = new Tally();
        final Store hooked = HookedStore.over(store, this);
        final Engine engine = new Engine(hooked, NO_POLL, tally);

        @Override
        public Object around(String name, HookedStore.Call call) throws Exception {
            if (name.equals("claim")) {
                looks.incrementAndGet();
                beforeLook.get().run();
            }
            return call.call();
        }
    }

    /** A claim that waits. */
    private final class Waiter implements ClaimWaiter.Attempt {
        final Queue<Lease> got = new ConcurrentLinkedQueue<>();
        final AtomicLong numbers = new AtomicLong();
        final Member member;
        final Session session;
        final int max;
        final ClaimWaiter place;
        final Thread thread;

        Waiter(Member member, int max, String kind) {
            this.member = member;
            this.max = max;
            session = Session.of("worker", "one", "default").kinds(kind).ttl(Duration.ofHours(1));
            store.sessions().open(session);
            place = member.engine.place(session);
            waiters.add(this);
            int before = member.tally.of("parked");
            thread = Thread.ofVirtual().start(this::run);
            eventually("it waits", () -> member.tally.of("parked") == before + 1);
        }

        private void run() {
            try {
                got.addAll(place.claim(this, LONG));
            } catch (InterruptedException | IllegalStateException e) {
                // Then it has got nothing.
            }
        }

        @Override
        public ClaimWaiter.Found look() {
            var claim = new Claim(session.id(), numbers.incrementAndGet(), max);
            var leases = member.hooked.claims().claim(claim).leases();
            return new ClaimWaiter.Found(leases, leases.size() == max);
        }

        boolean has(ExecutionId id) {
            return got.stream().anyMatch(lease -> lease.fence().execution().equals(id));
        }
    }

    @BeforeEach
    void start() {
        first.engine.start();
        second.engine.start();
    }

    @AfterEach
    void stop() throws InterruptedException {
        first.engine.stop();
        second.engine.stop();
        for (var waiter : waiters) {
            waiter.thread.join();
        }
    }

    @Test
    void a_piece_of_work_wakes_one_waiter_of_one_engine() {
        for (int round = 0; round < 20; round++) {
            var here = new Waiter(first, 2, "kind");
            int before = second.looks.get();
            var there = new Waiter(second, 2, "kind");

            var one = submit("kind");
            eventually("it is claimed here", () -> here.has(one));
            var other = submit("kind");
            eventually("the next one is claimed there", () -> there.has(other));

            assertThat(second.looks.get() - before).as("looks: one, and one for work").isEqualTo(2);
        }
    }

    @Test
    void work_that_nobody_here_can_run_is_passed_on() {
        var here = new Waiter(first, 2, "red");
        var alsoHere = new Waiter(first, 2, "green");
        var there = new Waiter(second, 2, "blue");

        var work = submit("blue");

        eventually("it is claimed there", () -> there.has(work));
        assertThat(Stream.of(here, alsoHere)).allMatch(waiter -> waiter.got.isEmpty());
    }

    @Test
    void work_is_passed_on_although_the_waiter_found_other_work() {
        for (int max : new int[] {1, 2}) {
            var here = new Waiter(first, max, "red");
            var there = new Waiter(second, 2, "blue");
            var red = new AtomicReference<ExecutionId>();
            first.beforeLook.set(
                    () -> {
                        first.beforeLook.set(() -> {});
                        red.set(submit("red"));
                    });

            var blue = submit("blue");

            eventually("the waiter here has found other work", () -> here.has(red.get()));
            eventually("it is claimed there", () -> there.has(blue));
        }
    }

    @Test
    void a_look_that_fails_passes_the_work_on() {
        var here = new Waiter(first, 1, "kind");
        var there = new Waiter(second, 1, "kind");
        first.beforeLook.set(
                () -> {
                    throw new IllegalStateException("broken by a test");
                });

        var work = submit("kind");

        eventually("it is claimed there", () -> there.has(work));
        assertThat(here.got).isEmpty();
    }

    @Test
    void a_store_that_cannot_pass_work_on_costs_no_lease() {
        var deaf =
                HookedStore.over(
                        store,
                        (name, call) -> {
                            if (name.equals("pass")) {
                                throw new IllegalStateException("broken by a test");
                            }
                            return call.call();
                        });
        first.engine.stop();
        second.engine.stop();
        try (var engine = new Engine(deaf, NO_POLL, first.tally)) {
            engine.start();
            var session = Session.of("worker", "one", "default").kinds("red");
            store.sessions().open(session);
            var looks = new AtomicInteger();
            var leases = new AtomicReference<List<Lease>>(List.of());
            try (var place = engine.place(session)) {
                var claimer =
                        Thread.ofVirtual()
                                .start(
                                        () -> {
                                            try {
                                                leases.set(
                                                        place.claim(
                                                                () -> look(session, looks), LONG));
                                            } catch (InterruptedException e) {
                                                // The test has failed.
                                            }
                                        });
                eventually("it waits", () -> first.tally.of("parked") == 1);
                submit("blue");
                eventually("it has looked in vain", () -> looks.get() == 2);
                eventually("it waits again", () -> first.tally.of("parked") == 1);

                var work = submit("red");

                eventually("it has it", () -> leases.get().size() == 1);
                assertThat(leases.get().getFirst().fence().execution()).isEqualTo(work);
                claimer.interrupt();
            }
        }
    }

    private ClaimWaiter.Found look(Session session, AtomicInteger looks) {
        var claim = new Claim(session.id(), looks.get() + 1, 2);
        var leases = store.claims().claim(claim).leases();
        looks.incrementAndGet();
        return new ClaimWaiter.Found(leases, false);
    }

    @Test
    void an_interrupted_claim_passes_its_signal_on() throws Exception {
        for (int round = 0; round < 200; round++) {
            var here = new Waiter(first, 2, "kind");
            var there = new Waiter(second, 2, "kind");

            var interrupting = Thread.ofVirtual().start(here.thread::interrupt);
            var work = submit("kind");

            interrupting.join();
            eventually("it is claimed", () -> here.has(work) || there.has(work));
            there.thread.interrupt();
            there.thread.join();
            here.thread.join();
        }
    }

    @Test
    void a_place_that_is_given_up_passes_its_signals_on() throws Exception {
        for (int round = 0; round < 200; round++) {
            var here = new Waiter(first, 2, "kind");
            var there = new Waiter(second, 2, "kind");

            var closing = Thread.ofVirtual().start(here.place::close);
            var work = submit("kind");

            closing.join();
            eventually("it is claimed", () -> here.has(work) || there.has(work));
            there.thread.interrupt();
            there.thread.join();
            here.thread.join();
        }
    }

    @Test
    void an_engine_that_stops_passes_its_signals_on() throws Exception {
        for (int round = 0; round < 20; round++) {
            var here = new Waiter(first, 2, "kind");
            var there = new Waiter(second, 2, "kind");

            var stopping = Thread.ofVirtual().start(first.engine::stop);
            var work = submit("kind");

            eventually("it is claimed", () -> here.has(work) || there.has(work));
            stopping.join();
            there.thread.interrupt();
            there.thread.join();
            first = new Member();
            first.engine.start();
        }
    }

    @Test
    void nothing_is_overlooked_however_engines_claims_and_submissions_meet() {
        var third = new Member();
        third.engine.start();
        var kinds = List.of("red", "green", "blue");
        var wanted = ConcurrentHashMap.<ExecutionId>newKeySet();
        var got = ConcurrentHashMap.<ExecutionId>newKeySet();
        var producing = new AtomicInteger(4);
        // Each kind is claimed in two of three engines, by waiters that take one or two at once.
        var claimers =
                IntStream.range(0, 12)
                        .mapToObj(
                                i -> {
                                    var member = List.of(first, second, third).get(i % 3);
                                    var kind = kinds.get((i + i / 6) % 3);
                                    return Thread.ofVirtual()
                                            .start(() -> takeAll(member, kind, 1 + i % 2, got));
                                })
                        .toList();
        for (int producer = 0; producer < 4; producer++) {
            int seed = producer;
            Thread.ofVirtual()
                    .start(
                            () -> {
                                for (int i = 0; i < 250; i++) {
                                    int pieces = 1 + ((i * seed) % 7) / 5;
                                    wanted.addAll(submit(pieces, kinds.get(i % 3)));
                                    if (i % 7 == seed) {
                                        Eventually.pause(Duration.ofMillis(1));
                                    }
                                }
                                producing.decrementAndGet();
                            });
        }

        eventually("all is claimed", () -> producing.get() == 0 && got.equals(wanted));
        claimers.forEach(Thread::interrupt);
        third.engine.stop();
    }

    private void takeAll(Member member, String kind, int max, Set<ExecutionId> got) {
        var session = Session.of("worker", "one", "default").kinds(kind).ttl(Duration.ofHours(1));
        store.sessions().open(session);
        var numbers = new AtomicLong();
        try (var place = member.engine.place(session)) {
            while (!Thread.currentThread().isInterrupted()) {
                place.claim(
                                () -> {
                                    var claim =
                                            new Claim(session.id(), numbers.incrementAndGet(), max);
                                    var leases = store.claims().claim(claim).leases();
                                    return new ClaimWaiter.Found(leases, leases.size() == max);
                                },
                                LONG)
                        .forEach(lease -> got.add(lease.fence().execution()));
            }
        } catch (InterruptedException e) {
            // The test has ended.
        }
    }

    private ExecutionId submit(String kind) {
        return submit(1, kind).iterator().next();
    }

    /** Through no engine, in one commit. */
    private Set<ExecutionId> submit(int count, String kind) {
        var submissions =
                IntStream.range(0, count)
                        .mapToObj(i -> Submission.of(kind, Payload.EMPTY))
                        .toList();
        store.submissions().submit(submissions).forEach(answer -> answer.orThrow());
        return Set.copyOf(submissions.stream().map(Submission::id).toList());
    }
}
