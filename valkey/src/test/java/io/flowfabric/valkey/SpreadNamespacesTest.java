package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Namespaces that are spread over several partitions, as their users and operators see them. */
class SpreadNamespacesTest {
    private static final Namespace BIG = new Namespace("big");
    private static final Lane LANE = new Lane(BIG, "default");
    private static final int PARTITIONS = 20;
    private static final Attribution OLGA = new Attribution("olga", "because");

    private final TestRedis redis = TestRedis.oneNode();
    private final KeySpace keys = TestRedis.keys("spread-" + UUID.randomUUID());
    private final VirtualClock clock = new VirtualClock();
    private final ValkeyStore other = open();
    private final ValkeyStore store = open();
    private final Session session = Session.of("worker", "instance", "default").namespace(BIG);

    private ValkeyStore open() {
        return new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock));
    }

    @BeforeEach
    void spread() {
        store.spread(BIG, PARTITIONS);
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
    }

    @Test
    void a_namespace_has_one_partition_at_least_and_no_more_than_there_are() {
        for (int none : List.of(0, -1, Partition.COUNT + 1)) {
            assertThatThrownBy(() -> store.spread(new Namespace("other"), none))
                    .isInstanceOfSatisfying(
                            Invalid.class,
                            refusal ->
                                    assertThat(refusal.code())
                                            .isEqualTo(Invalid.Code.OUT_OF_RANGE));
        }
        store.spread(new Namespace("other"), Partition.COUNT);
    }

    @Test
    void over_how_many_partitions_a_namespace_is_spread_is_decided_once() {
        var used = new Namespace("used");
        submit(Submission.of("job", Payload.EMPTY).lane(new Lane(used, "default")));

        store.spread(BIG, PARTITIONS);
        store.spread(used, 1);
        for (var refused : List.of(used, BIG)) {
            assertThatThrownBy(() -> other.spread(refused, 7))
                    .isInstanceOfSatisfying(
                            Conflict.class,
                            refusal ->
                                    assertThat(refusal.code())
                                            .isEqualTo(Conflict.Code.NAMESPACE_USED));
        }
    }

    @Test
    void work_lies_in_all_partitions_and_is_found_by_a_process_that_heard_nothing_of_them() {
        var ids = submitMany(200);

        assertThat(occupied()).hasSize(PARTITIONS);
        for (var id : ids) {
            assertThat(other.queries().describe(List.of(id)).getFirst().orThrow().id())
                    .isEqualTo(id);
        }
        assertThat(found(other)).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(other.queries().counts(BIG).get(LANE)).containsEntry(PublicState.WAITING, 200L);
    }

    @Test
    void work_with_an_id_of_another_partition_or_a_key_is_found_as_well() {
        var foreign = new ExecutionId(new Partition(7), UUID.randomUUID());
        submit(work().id(foreign));
        var keyed = submit(work().key("k"));

        for (var id : List.of(foreign, keyed)) {
            assertThat(other.queries().describe(List.of(id)).getFirst().orThrow().id())
                    .isEqualTo(id);
            assertThat(other.queries().history(id)).hasSize(1);
        }
    }

    @Test
    void a_claim_visits_a_few_partitions_and_says_that_there_may_be_more_until_it_was_in_all() {
        store.sessions().open(session);
        var id = submit(work());

        var given = new ArrayList<ExecutionId>();
        boolean more = true;
        int claims = 0;
        while (more) {
            claims++;
            var claimed = store.claims().claim(new Claim(session.id(), claims, 2));
            claimed.leases().forEach(lease -> given.add(lease.fence().execution()));
            more = claimed.more();
        }

        assertThat(given).containsExactly(id);
        assertThat(claims).isBetween(3, 6);
        assertThat(store.claims().claim(new Claim(session.id(), claims + 1, 2)).leases()).isEmpty();
    }

    @Test
    void everything_that_was_submitted_ends_once() {
        var ids = submitMany(300);
        store.sessions().open(session);
        var done = new ArrayList<ExecutionId>();
        for (int number = 1; done.size() < ids.size(); number++) {
            var leases = store.claims().claim(new Claim(session.id(), number, 16)).leases();
            var endings =
                    leases.stream()
                            .<Ending>map(it -> new Ending.Complete(it.fence(), Payload.EMPTY))
                            .toList();
            other.leases().end(endings).forEach(Answer::orThrow);
            leases.forEach(lease -> done.add(lease.fence().execution()));
            assertThat(number).isLessThan(200);
        }

        assertThat(done).containsExactlyInAnyOrderElementsOf(ids);
        assertThat(store.queries().counts(BIG).get(LANE))
                .containsOnly(Map.entry(PublicState.COMPLETED, 300L));
    }

    @Test
    void a_session_is_one_session_in_all_partitions() {
        store.sessions().open(session);
        submitMany(100);
        var leases = new ArrayList<Lease>();
        for (int number = 1; leases.size() < 100; number++) {
            leases.addAll(store.claims().claim(new Claim(session.id(), number, 64)).leases());
        }
        var fences = new HashSet<>(leases.stream().map(it -> it.fence()).toList());

        var beat = new Heartbeat(session.id(), 0, fences, Heartbeat.DEFAULT_PATIENCE);
        var result = other.sessions().heartbeat(List.of(beat)).getFirst().orThrow();
        assertThat(result.lost()).isEmpty();
        assertThat(result.leases()).isEqualTo(100);
        assertThat(other.workers().describe(session.id()).running()).isEqualTo(100);

        other.workers().markDead(session.id(), OLGA);
        assertThat(store.sessions().heartbeat(List.of(beat)).getFirst().isDone()).isFalse();
        assertThat(store.queries().counts(BIG).get(LANE)).containsEntry(PublicState.WAITING, 100L);
        assertThatThrownBy(() -> store.claims().claim(new Claim(session.id(), 1000, 1)))
                .isInstanceOf(NotFound.class);
    }

    @Test
    void a_limit_counts_everything_that_it_is_to_count() {
        store.quotas().define(Quota.atOnce("five", 5).namespace(BIG), OLGA);
        store.sessions().open(session);
        IntStream.range(0, 50)
                .forEach(n -> submit(work().policy(Policy.DEFAULT.quota("five")).key("k" + n)));

        var leases = new ArrayList<ExecutionId>();
        for (int number = 1; number <= 10; number++) {
            store.claims()
                    .claim(new Claim(session.id(), number, 16))
                    .leases()
                    .forEach(lease -> leases.add(lease.fence().execution()));
        }

        assertThat(leases).hasSize(5);
    }

    @Test
    void a_lane_gets_limits_before_there_is_work_and_then_counts_all_of_it() {
        store.quotas().define(Quota.atOnce("five", 5).namespace(BIG), OLGA);
        var limited = new Lane(BIG, "limited");
        var settings = LaneSettings.DEFAULT.quota("five");
        store.lanes().configure(limited, settings, OLGA);
        store.sessions().open(Session.of("worker", "second", "limited").namespace(BIG));
        submitMany(30, limited);

        assertThat(occupied()).containsExactly(Partition.of(BIG));

        submitMany(30);
        assertThatThrownBy(() -> store.lanes().configure(LANE, settings, OLGA))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        refusal -> assertThat(refusal.code()).isEqualTo(Conflict.Code.LANE_SPREAD));
    }

    @Test
    void a_claim_looks_everywhere_again_after_it_found_nothing() {
        store.sessions().open(session);
        int number = 0;
        for (int n = 0; n < 30; n++) {
            while (store.claims().claim(new Claim(session.id(), ++number, 1)).more()) {
                // Until there is nothing anywhere.
            }
            var id = submit(work());
            var found = new ArrayList<ExecutionId>();
            boolean more = true;
            while (more && found.isEmpty()) {
                var claimed = store.claims().claim(new Claim(session.id(), ++number, 1));
                claimed.leases().forEach(lease -> found.add(lease.fence().execution()));
                more = claimed.more();
            }
            assertThat(found).containsExactly(id);
        }
    }

    @Test
    void grants_are_redeemed_by_a_process_that_heard_nothing_of_the_work() {
        var unused = store.keys().first();
        store.sessions().open(session);
        IntStream.range(0, 40).forEach(n -> submit(n % 2 == 0 ? work() : work().key("k" + n)));
        var grants = new ArrayList<String>();
        for (int number = 1; grants.size() < 40; number++) {
            store.grants()
                    .claimForWorker(new Claim(session.id(), number, 16), Duration.ofSeconds(30))
                    .grants()
                    .forEach(grant -> grants.add(grant.token()));
        }

        assertThat(other.grants().verify(session.id(), grants)).allMatch(Answer::isDone);
        var redemption = new Grants.Redemption(session.id(), 1000, grants);
        assertThat(other.grants().redeem(redemption)).allMatch(Answer::isDone);
    }

    @Test
    void work_that_ended_before_its_lane_had_limits_is_not_replayed_past_them() {
        store.quotas().define(Quota.atOnce("five", 5).namespace(BIG), OLGA);
        var ids = submitMany(60);
        ids.forEach(id -> store.operations().act(List.of(new OperatorCommand.Cancel(id)), OLGA));
        store.lanes().configure(LANE, LaneSettings.DEFAULT.quota("five"), OLGA);

        int refused = 0;
        for (var id : ids) {
            var answer =
                    store.operations()
                            .act(List.of(new OperatorCommand.Replay(id)), OLGA)
                            .getFirst();
            refused += answer.isDone() ? 0 : 1;
        }
        assertThat(refused).isBetween(40, 60);
        store.sessions().open(session);
        int running = 0;
        for (int number = 1; number <= 10; number++) {
            running += store.claims().claim(new Claim(session.id(), number, 16)).leases().size();
        }
        assertThat(running).isLessThanOrEqualTo(5);
    }

    @Test
    void a_feed_of_the_partition_that_ids_name_has_the_events_of_all_of_them() {
        submitMany(60);
        var filter = FeedFilter.of(FeedFilter.Topic.EVERYTHING).partition(Partition.of(BIG));

        assertThat(store.feeds().read(filter, store.feeds().beginning(), 100).entries())
                .hasSize(60);
    }

    private Set<Partition> occupied() {
        var occupied = new HashSet<Partition>();
        for (int n = 0; n < Partition.COUNT; n++) {
            var partition = new Partition(n);
            if (redis.direct().hlen(keys.key(partition, "execution")) > 0) {
                occupied.add(partition);
            }
        }
        return occupied;
    }

    private static List<ExecutionId> found(ValkeyStore store) {
        var found = new ArrayList<ExecutionId>();
        var after = Cursor.START;
        do {
            var page = store.queries().search(Search.in(BIG), after, 7);
            page.items().stream().map(ExecutionView::id).forEach(found::add);
            after = page.next();
        } while (!after.equals(Cursor.END));
        return found;
    }

    private static Submission work() {
        return Submission.of("job", Payload.EMPTY).lane(LANE);
    }

    private ExecutionId submit(Submission submission) {
        return offer(submission).orThrow().id();
    }

    private Answer<Submitted> offer(Submission submission) {
        return store.submissions().submit(List.of(submission)).getFirst();
    }

    private List<ExecutionId> submitMany(int count) {
        return submitMany(count, LANE);
    }

    private List<ExecutionId> submitMany(int count, Lane lane) {
        var all = Stream.generate(() -> work().lane(lane)).limit(count).toList();
        return store.submissions().submit(all).stream().map(it -> it.orThrow().id()).toList();
    }
}
