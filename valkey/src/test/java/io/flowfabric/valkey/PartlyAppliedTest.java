package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** A call over several partitions of which one fails does not say that nothing was applied. */
class PartlyAppliedTest {
    private static final Lane SOUND = Lane.of("default");
    private static final Lane BROKEN = new Lane(new Namespace("tenant"), "default");

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "partly-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final FailingWire wire =
            new FailingWire(redis.wire(keys), Partition.of(BROKEN.namespace()));
    private final ValkeyStore store = new ValkeyStore(wire, Optional.empty(), Optional.empty());

    /** A wire that does not reach one partition. */
    private static final class FailingWire extends PassedOnWire {
        private final Partition broken;
        private volatile boolean fails;

        FailingWire(Wire real, Partition broken) {
            super(real);
            this.broken = broken;
        }

        void fails(boolean now) {
            fails = now;
        }

        @Override
        Partition sent(Partition partition) {
            if (fails && partition.equals(broken)) {
                throw new StoreFailure("It is away.", false, new IllegalStateException());
            }
            return partition;
        }
    }

    @AfterEach
    void close() {
        store.close();
        redis.forget(name);
    }

    @Test
    void a_submission_of_which_a_part_was_stored_may_have_been_applied() {
        var both = List.of(submission(SOUND), submission(BROKEN));
        wire.fails(true);

        assertThatThrownBy(() -> store.submissions().submit(both))
                .matches(PartlyAppliedTest::mayBeApplied);
        assertThatThrownBy(() -> store.submissions().submit(both.subList(1, 2)))
                .matches(e -> !mayBeApplied(e));
        wire.fails(false);
        assertThat(store.submissions().submit(both))
                .extracting(answer -> answer.orThrow().created())
                .containsExactly(false, true);
    }

    @Test
    void endings_and_heartbeats_of_which_a_part_was_done_may_have_been_applied() {
        var sound = session(SOUND);
        var broken = session(BROKEN);
        var endings =
                List.<Ending>of(
                        new Ending.Complete(lease(sound, SOUND), Payload.EMPTY),
                        new Ending.Complete(lease(broken, BROKEN), Payload.EMPTY));
        var beats = List.of(Heartbeat.of(sound.id()), Heartbeat.of(broken.id()));
        wire.fails(true);

        assertThatThrownBy(() -> store.leases().end(endings))
                .matches(PartlyAppliedTest::mayBeApplied);
        assertThatThrownBy(() -> store.sessions().heartbeat(beats))
                .matches(PartlyAppliedTest::mayBeApplied);
        wire.fails(false);
        assertThat(store.leases().end(endings)).allMatch(answer -> answer.isDone());
    }

    @Test
    void endings_behind_suspensions_that_were_done_may_have_been_applied() {
        var sound = session(SOUND);
        var broken = session(BROKEN);
        var wait = Suspension.until("approval", Condition.signal("boss"));
        var endings =
                List.<Ending>of(
                        new Ending.Complete(lease(broken, BROKEN), Payload.EMPTY),
                        new Ending.Suspend(lease(sound, SOUND), wait));
        wire.fails(true);

        assertThatThrownBy(() -> store.leases().end(endings))
                .matches(PartlyAppliedTest::mayBeApplied);
        assertThatThrownBy(() -> store.leases().end(endings.subList(0, 1)))
                .matches(e -> !mayBeApplied(e));
        wire.fails(false);
        assertThat(store.leases().end(endings)).allMatch(answer -> answer.isDone());
    }

    private static boolean mayBeApplied(Throwable failure) {
        return failure instanceof StoreFailure lost && lost.mayHaveApplied();
    }

    private static Submission submission(Lane lane) {
        return Submission.of("job", Payload.EMPTY).lane(lane);
    }

    private Session session(Lane lane) {
        var session =
                Session.of("worker", lane.namespace().name(), "default")
                        .namespace(lane.namespace());
        store.sessions().open(session);
        return session;
    }

    private Fence lease(Session session, Lane lane) {
        store.submissions().submit(List.of(submission(lane))).getFirst().orThrow();
        return store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst().fence();
    }
}
