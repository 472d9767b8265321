package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** How much room a claim waits for. */
class SlotsTest {
    private static final int CONCURRENCY = 4;

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final Committers<Assignment> endings =
            new Committers<>(
                    new EndingCommit(world.engine().leases(), world.engine().metrics()),
                    Time.SYSTEM,
                    "mailer",
                    () -> {});
    private final HandlerReports reports =
            new HandlerReports(world.engine().leases(), Time.SYSTEM, "worker");

    /** Its handlers never begin; a test says when one is over. */
    private final Slots slots =
            new Slots(
                    CONCURRENCY,
                    new HandlerThreads(run -> Thread.ofVirtual().unstarted(() -> {}), Time.SYSTEM),
                    endings,
                    Time.SYSTEM);

    private final WorkerSession session =
            new WorkerSession(
                    world.engine(),
                    Session.of("mailer", "1", WorkerScenario.LANE.name()),
                    Map.of("welcome", task -> TaskResult.complete(Payload.EMPTY)),
                    slots,
                    endings,
                    reports);

    @BeforeEach
    void start() {
        endings.start();
        session.session().start();
    }

    @AfterEach
    void close() {
        endings.stop();
        session.session().stop();
        world.close();
    }

    @Test
    void where_nothing_is_prefetched_quick_handlers_are_claimed_for_when_half_of_them_are_over() {
        for (int runs = 0; runs < 8; runs += CONCURRENCY) {
            fill();
            quickRuns(CONCURRENCY);
        }
        fill();
        quickRuns(1);
        assertThatThrownBy(this::claimsWithoutWaiting)
                .as("one slot of four")
                .isInstanceOf(InterruptedException.class);

        quickRuns(1);

        assertThat(claimsAtOnce()).as("two slots of four").isTrue();
    }

    private boolean claimsAtOnce() {
        try {
            return claimsWithoutWaiting();
        } catch (InterruptedException waited) {
            return false;
        }
    }

    /** An interrupted thread cannot wait. */
    private boolean claimsWithoutWaiting() throws InterruptedException {
        Thread.currentThread().interrupt();
        try {
            return slots.awaitRoom(() -> false);
        } finally {
            Thread.interrupted();
        }
    }

    /** Takes on as much as can run, with a clock, so that nothing is prefetched. */
    private void fill() {
        for (int i = 0; i < CONCURRENCY; i++) {
            world.submit("welcome", "", Policy.DEFAULT.attemptTimeout(Duration.ofHours(1)));
        }
        for (int taken = 0; taken < CONCURRENCY; ) {
            var leases = claimed(CONCURRENCY - taken);
            session.take(leases);
            taken += leases.size();
        }
    }

    private List<Lease> claimed(int most) {
        try {
            return session.session().claim(() -> most, Duration.ofSeconds(10));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private void quickRuns(int count) {
        for (int i = 0; i < count; i++) {
            slots.ran(1);
        }
    }
}
