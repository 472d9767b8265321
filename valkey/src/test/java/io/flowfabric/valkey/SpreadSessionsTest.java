package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.Placement;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Wire;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

/** A session of a spread namespace lives in no partition for longer than it is told to. */
class SpreadSessionsTest {
    private static final Attribution OLGA = new Attribution("olga", "a test");
    private static final Namespace BIG = new Namespace("big");
    private static final Lane LANE = new Lane(BIG, "lane");
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "sessions-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final VirtualClock clock = new VirtualClock();
    private final SlowWire wire = new SlowWire(redis.wire(keys));
    private final ValkeyStore store =
            new ValkeyStore(wire, Optional.empty(), Optional.of(clock), Placement.HASHED);
    private final Session session = Session.of("worker", "1", LANE.name()).namespace(BIG).ttl(TTL);
    private final List<Lease> leases = new ArrayList<>();

    /**
     * A wire on which some calls take a second, and of which none ends a session in one that is
     * away.
     */
    private final class SlowWire extends PassedOnWire {
        private Set<String> slow = Set.of();
        private Optional<Partition> away = Optional.empty();

        SlowWire(Wire real) {
            super(real);
        }

        @Override
        public byte[] call(String function, Partition partition, byte[] request) {
            if (function.equals("die") && away.filter(partition::equals).isPresent()) {
                throw new StoreFailure("It is away.", false, new IOException("away"));
            }
            return slowed(function, super.call(function, partition, request));
        }

        @Override
        public byte[] callUrgently(
                String function, Partition partition, byte[] request, Duration patience) {
            return slowed(function, super.callUrgently(function, partition, request, patience));
        }

        private byte[] slowed(String function, byte[] answer) {
            if (slow.contains(function)) {
                clock.advance(SECOND);
            }
            return answer;
        }
    }

    @BeforeEach
    void begin() {
        store.spread(BIG, 4);
        var works = Stream.generate(() -> Submission.of("job", Payload.EMPTY).lane(LANE)).limit(40);
        store.submissions().submit(works.toList()).forEach(Answer::orThrow);
    }

    @AfterEach
    void close() {
        store.close();
        redis.forget(name);
    }

    private void claimAll() {
        for (int number = 1; leases.size() < 40; number++) {
            leases.addAll(store.claims().claim(new Claim(session.id(), number, 16)).leases());
        }
    }

    /** How many of the leases still hold when nothing is left of what was told. */
    private long heldAt(Instant end) {
        clock.advance(Duration.between(clock.instant(), end));
        return store
                .leases()
                .end(
                        leases.stream()
                                .<Ending>map(it -> new Ending.Complete(it.fence(), Payload.EMPTY))
                                .toList())
                .stream()
                .filter(Answer::isDone)
                .count();
    }

    private List<Event> told() {
        return store
                .feeds()
                .read(FeedFilter.of(FeedFilter.Topic.EVERYTHING), store.feeds().beginning(), 1000)
                .entries()
                .stream()
                .map(entry -> entry.event())
                .toList();
    }

    private Instant toldEnd() {
        return told().stream()
                .filter(Event.Renewal.class::isInstance)
                .map(event -> ((Event.Renewal) event).until())
                .toList()
                .getLast();
    }

    @Test
    void also_when_its_heartbeat_takes_long_on_its_way_through_them() {
        store.sessions().open(session);
        claimAll();
        wire.slow = Set.of("heartbeat");

        store.sessions().heartbeat(List.of(Heartbeat.of(session.id()))).getFirst().orThrow();

        assertThat(heldAt(toldEnd())).isZero();
    }

    @Test
    void also_when_its_opening_takes_long_on_its_way_through_them() {
        wire.slow = Set.of("open");
        var opened = clock.instant();
        store.sessions().open(session);
        claimAll();

        assertThat(heldAt(opened.plus(TTL))).isZero();
    }

    @Test
    void a_late_heartbeat_takes_nothing_back() {
        store.sessions().open(session);
        claimAll();
        clock.advance(SECOND);

        var result = store.sessions().heartbeat(List.of(Heartbeat.of(session.id()))).getFirst();

        assertThat(result.orThrow().aliveUntil()).isEqualTo(clock.instant().plus(TTL));
        assertThat(heldAt(clock.instant().plus(TTL).minusMillis(1))).isEqualTo(40);
    }

    @Test
    void nobody_is_told_that_it_is_dead_before_it_is_so_everywhere() {
        store.sessions().open(session);
        claimAll();
        int main = Partition.of(BIG).number();
        wire.away = Optional.of(new Partition((main + Partition.COUNT / 2) % Partition.COUNT));

        assertThatThrownBy(() -> store.workers().markDead(session.id(), OLGA))
                .isInstanceOf(StoreFailure.class);
        wire.away = Optional.empty();
        assertThat(told()).noneMatch(Event.MarkedDead.class::isInstance);

        store.workers().markDead(session.id(), OLGA);
        assertThat(told()).filteredOn(Event.MarkedDead.class::isInstance).hasSize(1);
        assertThat(heldAt(clock.instant())).isZero();
    }
}
