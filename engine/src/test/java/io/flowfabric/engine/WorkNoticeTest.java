package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/** Work that an engine has taken charge of goes to one of its waiters, or to other engines. */
class WorkNoticeTest {
    private static final Session SESSION = Session.of("worker", "one", "default");

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

    private static UUID work(Lease lease) {
        return lease.fence().execution().uuid();
    }

    private Lease lease(int number) {
        store.submissions().submit(List.of(Submission.of("kind", Payload.EMPTY)));
        return store.claims().claim(new Claim(SESSION.id(), number, 1)).leases().getFirst();
    }
}
