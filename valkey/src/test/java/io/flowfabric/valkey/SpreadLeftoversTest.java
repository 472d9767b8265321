package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/** What work that is forgotten has left in other partitions goes, also when that fails at first. */
class SpreadLeftoversTest {
    private static final Namespace BIG = new Namespace("big");
    private static final Lane LANE = new Lane(BIG, "default");
    private static final Attribution OLGA = new Attribution("olga", "because");
    private static final Partition FOREIGN =
            new Partition((Partition.of(BIG).number() + 1) % Partition.COUNT);
    private static final Policy BRIEF = Policy.DEFAULT.retention(Duration.ZERO);
    private static final Policy MANY = BRIEF.quota("many");

    private final TestRedis redis = TestRedis.oneNode();
    private final String name = "spread-leftovers-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final VirtualClock clock = new VirtualClock();
    private String cut = "";
    private final InterruptedWire wire = new InterruptedWire(redis.wire(keys));
    private final ValkeyStore store =
            new ValkeyStore(
                    new PassedOnWire(wire) {
                        @Override
                        public byte[] call(String function, Partition partition, byte[] request) {
                            if (function.equals(cut)) {
                                throw new StoreFailure(
                                        "The connection was cut.", false, new IOException("cut"));
                            }
                            return super.call(function, partition, request);
                        }
                    },
                    Optional.empty(),
                    Optional.of(clock));
    private final ValkeyStore other =
            new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock));
    private final Session session =
            Session.of("worker", "instance", "default").namespace(BIG).ttl(Duration.ofHours(1));
    private int claims;

    @BeforeEach
    void spread() {
        store.spread(BIG, 7);
        store.quotas().define(Quota.atOnce("many", 500).namespace(BIG), OLGA);
        store.budgets().define(Budget.of("team", "tokens", 1_000_000).namespace(BIG), OLGA);
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        store.close();
        other.close();
        redis.forget(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "unsign", "give_up_key", "forget_reports", "drop_leftovers"})
    void what_could_not_be_removed_is_removed_by_a_later_round(String function) {
        long unique = fields("unique");
        long workers = members("worker");
        var all = new ArrayList<Submission>();
        for (int n = 0; n < 20; n++) {
            all.add(work());
            all.add(work().id(new ExecutionId(FOREIGN, UUID.randomUUID())));
            all.add(work().key("k" + n));
            all.add(work().key("l" + n).policy(BRIEF.quota("many")));
        }
        store.submissions().submit(all).forEach(Answer::orThrow);
        finish(all.size());
        assertThat(fields("spending")).isPositive();

        cut = function;
        retain(store);
        assertThat(fields("execution")).isZero();
        boolean left =
                fields("unique") > unique || members("worker") > workers || fields("spending") > 0;
        assertThat(left).isEqualTo(!function.isEmpty());
        cut = "";
        retain(other);

        assertThat(fields("unique")).isEqualTo(unique);
        assertThat(members("worker")).isEqualTo(workers);
        assertThat(fields("spending")).isZero();
    }

    @Test
    void what_was_erased_leaves_nothing_either() {
        long unique = fields("unique");
        var ids = new ArrayList<ExecutionId>();
        for (int n = 0; n < 10; n++) {
            var one = work().key("k" + n).policy(BRIEF.quota("many"));
            ids.add(one.id());
            store.submissions().submit(List.of(one)).getFirst().orThrow();
        }
        finish(ids.size());

        cut = "give_up_key";
        store.operations().erase(ids, OLGA).forEach(Answer::orThrow);
        cut = "";
        assertThat(fields("unique")).isGreaterThan(unique);
        retain(other);
        assertThat(fields("unique")).isEqualTo(unique);
    }

    @Test
    void what_is_erased_by_a_process_that_has_just_begun_leaves_nothing_either() {
        long unique = fields("unique");
        var ids = new ArrayList<ExecutionId>();
        for (int n = 0; n < 10; n++) {
            var one = work().key("k" + n).policy(BRIEF.quota("many"));
            ids.add(one.id());
            store.submissions().submit(List.of(one)).getFirst().orThrow();
        }
        finish(ids.size());

        other.operations().erase(ids, OLGA).forEach(Answer::orThrow);
        retain(other);
        assertThat(fields("unique")).isEqualTo(unique);
    }

    @Test
    void work_that_is_submitted_again_meanwhile_is_left_alone() {
        var again = work().id(new ExecutionId(FOREIGN, UUID.randomUUID()));
        store.submissions().submit(List.of(again)).getFirst().orThrow();
        finish(1);
        cut = "unsign";
        retain(store);
        cut = "";
        assertThat(store.submissions().submit(List.of(again)).getFirst().orThrow().created())
                .isTrue();
        retain(store);

        assertThat(other.queries().describe(List.of(again.id())).getFirst().isDone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"begin_removal", "unsign", "give_up_key", "drop_leftovers"})
    void work_that_is_submitted_again_while_it_is_forgotten_is_found(String function) {
        var again = work().id(new ExecutionId(FOREIGN, UUID.randomUUID())).key("k").policy(MANY);
        store.submissions().submit(List.of(again)).getFirst().orThrow();
        finish(1);
        wire.before(function, 0, () -> assertThatItIsTaken(again));
        retain(store);

        assertThat(wire.happened()).isTrue();
        assertThatItIsFound(again);
    }

    @ParameterizedTest
    @ValueSource(strings = {"begin_removal", "unsign", "give_up_key", "drop_leftovers"})
    void work_that_is_submitted_again_while_it_is_erased_is_found(String function) {
        var again = work().id(new ExecutionId(FOREIGN, UUID.randomUUID())).key("k").policy(MANY);
        store.submissions().submit(List.of(again)).getFirst().orThrow();
        finish(1);
        wire.before(function, 0, () -> assertThatItIsTaken(again));
        store.operations().erase(List.of(again.id()), OLGA).getFirst().orThrow();

        assertThat(wire.happened()).isTrue();
        assertThatItIsFound(again);
    }

    @ParameterizedTest
    @ValueSource(strings = {"hold_keys", "sign", "submit"})
    void work_that_is_on_its_way_again_while_it_is_forgotten_is_found(String function) {
        var again = work().id(new ExecutionId(FOREIGN, UUID.randomUUID())).key("k").policy(MANY);
        store.submissions().submit(List.of(again)).getFirst().orThrow();
        finish(1);
        wire.before(function, 0, () -> retain(other));
        var answer = store.submissions().submit(List.of(again)).getFirst();

        assertThat(wire.happened()).isTrue();
        assertThat(answer.orThrow().created()).isTrue();
        assertThatItIsFound(again);
    }

    private void assertThatItIsTaken(Submission submission) {
        var answer = other.submissions().submit(List.of(submission)).getFirst();
        assertThat(answer.orThrow().created()).isTrue();
    }

    private void assertThatItIsFound(Submission submission) {
        try (var fresh = new ValkeyStore(redis.wire(keys), Optional.empty(), Optional.of(clock))) {
            fresh.queries().describe(List.of(submission.id())).getFirst().orThrow();
            var another = submission.id(ExecutionId.mint(BIG));
            assertThat(fresh.submissions().submit(List.of(another)).getFirst().orThrow())
                    .isEqualTo(new Submitted(submission.id(), false));
        }
    }

    /** Claims and completes so many, each of which reports something first. */
    private void finish(int count) {
        int done = 0;
        while (done < count) {
            var fences = new ArrayList<Fence>();
            for (var lease : store.claims().claim(new Claim(session.id(), ++claims, 64)).leases()) {
                fences.add(lease.fence());
            }
            store.leases()
                    .spend(
                            fences.stream()
                                    .map(
                                            it ->
                                                    new UsageReport(
                                                            it,
                                                            "team",
                                                            "tokens",
                                                            1,
                                                            "r-" + it.execution()))
                                    .toList())
                    .forEach(Answer::orThrow);
            store.leases()
                    .end(
                            fences.stream()
                                    .<Ending>map(it -> new Ending.Complete(it, Payload.EMPTY))
                                    .toList())
                    .forEach(Answer::orThrow);
            done += fences.size();
        }
        clock.advance(Duration.ofMillis(1));
    }

    private static void retain(ValkeyStore store) {
        while (store.maintenance().tick(Chore.RETENTION, 1000).more()) {
            // There was more than one round can hold.
        }
    }

    private static Submission work() {
        return Submission.of("job", Payload.EMPTY).lane(LANE).policy(BRIEF);
    }

    private long fields(String hash) {
        return IntStream.range(0, Partition.COUNT)
                .mapToLong(n -> redis.direct().hlen(keys.key(new Partition(n), hash)))
                .sum();
    }

    private long members(String set) {
        return IntStream.range(0, Partition.COUNT)
                .mapToLong(n -> redis.direct().zcard(keys.key(new Partition(n), set)))
                .sum();
    }
}
