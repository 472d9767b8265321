package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;

/** Work that an engine has taken charge of goes to one of its waiters, or to other engines. */
class WorkNoticeTest {
    private static final Session SESSION = Session.of("worker", "one", "default");

    private static final EngineOptions NO_POLL =
            EngineOptions.DEFAULT.safetyPoll(Duration.ofDays(1));

    private final MemoryStore store = new MemoryStore(new ManualTime());
    private final AtomicInteger passed = new AtomicInteger();

    @BeforeEach
    void open() {
        store.sessions().open(SESSION);
    }

    @Test
    void the_lease_of_its_work_meets_it_and_that_of_other_work_does_not() {
        var mine = lease(1);
        var signal = new WorkNotice(work(mine), passed::incrementAndGet);

        assertThat(signal.isMetBy(List.of())).isFalse();
        assertThat(signal.isMetBy(List.of(lease(2)))).isFalse();
        assertThat(signal.isMetBy(List.of(lease(3), mine))).isTrue();
    }

    @Test
    void it_is_passed_on_when_the_last_of_its_holders_lets_go_and_none_got_the_work() {
        var signal = new WorkNotice(work(lease(1)), passed::incrementAndGet);
        signal.hold();
        signal.isMetBy(List.of(lease(2)));

        signal.letGo();
        assertThat(passed).hasValue(0);

        signal.letGo();
        assertThat(passed).hasValue(1);
    }

    @Test
    void one_that_was_met_is_not_passed_on() {
        var mine = lease(1);
        var signal = new WorkNotice(work(mine), passed::incrementAndGet);
        signal.hold();
        signal.isMetBy(List.of(mine));

        signal.letGo();
        signal.isMetBy(List.of());
        signal.letGo();

        assertThat(passed).hasValue(0);
    }

    @Test
    void a_waiter_that_finds_other_work_and_all_it_asked_for_hands_it_to_the_next_one()
            throws Exception {
        var mine = lease(1);
        var other = lease(2);
        var room = new WaitingRoom();
        var tally = new Tally();
        var parking = new ClaimParking(store.wakeups(), NO_POLL, tally, Time.SYSTEM);
        parking.start();
        var first = waiting(new ClaimWaiter(parking, Interest.of(SESSION), room), other);
        eventually("it waits", () -> tally.of("parked") == 1);
        var second = waiting(new ClaimWaiter(parking, Interest.of(SESSION), room), mine);
        eventually("both wait", () -> tally.of("parked") == 2);

        room.wakeOne(new WorkNotice(work(mine), passed::incrementAndGet));

        assertThat(first.get()).containsExactly(other);
        assertThat(second.get()).containsExactly(mine);
        assertThat(passed).hasValue(0);
        parking.stop();
    }

    /** Waits at a place, and finds nothing at first, then this lease. */
    private static Future<List<Lease>> waiting(ClaimWaiter place, Lease found) {
        var looks = new AtomicInteger();
        var task =
                new FutureTask<>(
                        () ->
                                place.claim(
                                        () ->
                                                looks.incrementAndGet() == 1
                                                        ? ClaimWaiter.Found.NOTHING
                                                        : new ClaimWaiter.Found(
                                                                List.of(found), true),
                                        Duration.ofMinutes(10)));
        Thread.ofVirtual().start(task);
        return task;
    }

    private static UUID work(Lease lease) {
        return lease.fence().execution().uuid();
    }

    private Lease lease(int number) {
        store.submissions().submit(List.of(Submission.of("kind", Payload.EMPTY)));
        return store.claims().claim(new Claim(SESSION.id(), number, 1)).leases().getFirst();
    }
}
