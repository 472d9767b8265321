package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.lettuce.core.KillArgs;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * A server that takes the place of another may have lost the last second: what processes have noted
 * by then is noted again, and what they have learned is learned anew.
 */
class LostNotesTest {
    private static final Lane TENANT = new Lane(new Namespace("tenant"), "default");
    private static final Partition FIRST = Partition.of(Namespace.DEFAULT);
    private static final Partition HOME = Partition.of(TENANT.namespace());

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "lost-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final VirtualClock clock = new VirtualClock();
    private final ValkeyStore store = open();
    private final ValkeyStore other = open();

    private ValkeyStore open() {
        return new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock));
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        redis.forget(name);
    }

    @Test
    void a_partition_whose_note_was_lost_is_noted_again() {
        submit("job", Due.NOW);
        redis.direct().del(keys.key(FIRST, "global"), keys.key(FIRST, "listing"));
        reconnect();
        submit("job", new Due.After(Duration.ofMinutes(1)));
        clock.advance(Duration.ofMinutes(2));

        assertThat(store.maintenance().tick(Chore.TIMERS, 100).processed()).isEqualTo(1);
        assertThat(other.namespaces().list(Cursor.START, 10).items())
                .extracting(Object::toString)
                .anyMatch(view -> view.contains("tenant"));
    }

    @Test
    void a_session_whose_signpost_was_lost_is_found_again_by_all_processes() {
        var session = session("job");
        var uuid = session.id().uuid();
        var field =
                ByteBuffer.allocate(18)
                        .put("\0s".getBytes(ISO_8859_1))
                        .putLong(uuid.getMostSignificantBits())
                        .putLong(uuid.getLeastSignificantBits())
                        .array();
        long lost = 0;
        for (int n = 0; n < Partition.COUNT; n++) {
            lost += redis.direct().hdel(keys.key(new Partition(n), "unique"), field);
        }
        assertThat(lost).isEqualTo(1);
        assertThat(beat(other, session).isDone()).isFalse();
        reconnect();

        // The process that opened it goes on all the time, and soon others can find it.
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!repeated(() -> beat(other, session)).isDone()) {
            assertThat(repeated(() -> beat(store, session)).isDone()).isTrue();
            assertThat(System.nanoTime()).as("it is not found").isLessThan(until);
        }
    }

    @Test
    void a_worker_is_given_what_it_can_do_though_routes_have_other_numbers_now() {
        var mine = session("mine");
        submit("theirs", Due.NOW);
        submit("mine", Due.NOW);
        assertThat(claim(mine, 1)).containsExactly("mine");

        for (var key : KeySpace.NAMES) {
            redis.direct().del(keys.key(HOME, key));
        }
        reconnect();
        repeated(() -> store.sessions().open(mine));
        submit("mine", Due.NOW);
        submit("theirs", Due.NOW);
        submit("mine", Due.NOW);

        assertThat(claim(mine, 2)).containsExactly("mine", "mine");
    }

    private Session session(String kind) {
        var session =
                Session.of("worker", "instance", "default")
                        .namespace(TENANT.namespace())
                        .kinds(kind);
        store.sessions().open(session);
        return session;
    }

    private List<String> claim(Session session, long number) {
        var claim = new Claim(session.id(), number, 10);
        return repeated(() -> store.claims().claim(claim)).leases().stream()
                .map(Lease::kind)
                .toList();
    }

    private static Answer<?> beat(ValkeyStore store, Session session) {
        return store.sessions().heartbeat(List.of(Heartbeat.of(session.id()))).getFirst();
    }

    private void submit(String kind, Due start) {
        var submission =
                Submission.of(kind, Payload.EMPTY).lane(TENANT).policy(Policy.DEFAULT.start(start));
        repeated(() -> store.submissions().submit(List.of(submission))).getFirst().orThrow();
    }

    /** Every client of the server loses its connection. */
    private void reconnect() {
        redis.direct().clientKill(KillArgs.Builder.typeNormal().skipme());
    }

    /** What is refused for now is repeated, as those who call do. */
    private static <T> T repeated(Supplier<T> call) {
        long until = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        while (true) {
            try {
                return call.get();
            } catch (FlowFabricException e) {
                if (FlowFabricException.concernsRequest(e) || System.nanoTime() > until) {
                    throw e;
                }
                LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            }
        }
    }
}
