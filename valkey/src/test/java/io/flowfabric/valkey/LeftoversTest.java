package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.valkey.internal.wire.KeySpace;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/** What is over leaves nothing for ever, and goes in portions. */
class LeftoversTest {
    private static final Attribution OLGA = new Attribution("olga", "a test");
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final String name = "leftovers-" + UUID.randomUUID();
    private final KeySpace keys = TestRedis.keys(name);
    private final TestRedis redis = TestRedis.oneNode();
    private final VirtualClock clock = new VirtualClock();
    private final Instant began = clock.instant();
    private final ValkeyStore store = new ValkeyStore(redis.wire(keys), Optional.of(clock));

    @AfterEach
    void close() {
        store.close();
        redis.forget(name);
    }

    @Test
    void sessions_of_long_ago_leave_nothing() {
        var sessions = new ArrayList<Session>();
        for (int n = 0; n < 40; n++) {
            var session = Session.of("worker", "instance-" + n, "default").ttl(HOUR);
            store.sessions().open(session);
            sessions.add(session);
        }
        sessions.forEach(session -> store.sessions().close(session.id()));
        assertThat(fields("unique")).isEqualTo(40);

        for (int day : new int[] {12, 32}) {
            clock.advance(Duration.between(clock.instant(), began.plus(DAY.multipliedBy(day))));
            retain();
            assertThatThrownBy(() -> store.sessions().open(sessions.getFirst()))
                    .isInstanceOf(NotFound.class);
        }
        // The ids first; then the signposts, which lead to them.
        clock.advance(DAY.multipliedBy(40));
        retain();
        clock.advance(DAY.multipliedBy(31));
        retain();

        assertThat(fields("unique")).isZero();
        assertThat(members("worker")).isZero();
    }

    @Test
    void signposts_of_work_that_was_refused_or_is_gone_are_taken_down() {
        var home = Partition.of(Namespace.DEFAULT);
        var foreign = new Partition((home.number() + 1) % Partition.COUNT);
        var unknown = Policy.DEFAULT.quota("unknown");
        var refused = work().id(new ExecutionId(foreign, UUID.randomUUID())).policy(unknown);
        assertThat(store.submissions().submit(List.of(refused)).getFirst().isDone()).isFalse();
        var kept = work().id(new ExecutionId(foreign, UUID.randomUUID()));
        store.submissions().submit(List.of(kept)).getFirst().orThrow();
        assertThat(fields("unique")).isEqualTo(2);

        clock.advance(DAY.multipliedBy(31));
        retain();

        assertThat(fields("unique")).isOne();
        try (var other = new ValkeyStore(redis.wire(keys), Optional.of(clock))) {
            assertThat(other.queries().describe(List.of(kept.id())).getFirst().isDone()).isTrue();
        }
    }

    @Test
    void long_histories_of_sessions_go_in_portions() {
        var sessions = new ArrayList<Session>();
        for (int n = 0; n < 40; n++) {
            var session = Session.of("worker", "instance-" + n, "default").ttl(HOUR);
            store.sessions().open(session);
            sessions.add(session);
        }
        var beats = sessions.stream().map(session -> Heartbeat.of(session.id())).toList();
        for (int n = 0; n < 850; n++) {
            store.sessions().heartbeat(beats);
        }
        sessions.forEach(session -> store.sessions().close(session.id()));
        assertThat(fields("history")).isGreaterThan(2000);
        clock.advance(DAY.multipliedBy(10));
        retain();

        assertThat(fields("history")).isZero();
        assertThat(fields("session")).isZero();
    }

    @Test
    void what_an_execution_reported_is_told_and_forgotten_in_portions() {
        store.budgets().define(Budget.of("team", "tokens", 1_000_000), OLGA);
        var session = Session.of("worker", "instance", "default").ttl(HOUR);
        store.sessions().open(session);
        var policy = Policy.DEFAULT.budget("team").retention(Duration.ZERO);
        store.submissions().submit(List.of(work().policy(policy))).getFirst().orThrow();
        var fence = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst().fence();
        for (int n = 0; n < 5; n++) {
            int part = n;
            store.leases()
                    .spend(
                            IntStream.range(0, 1000)
                                    .mapToObj(i -> "key-%d-%d".formatted(part, i))
                                    .map(key -> new UsageReport(fence, "team", "tokens", 1, key))
                                    .toList())
                    .forEach(answer -> answer.orThrow());
        }

        assertThat(store.budgets().ledger(fence.execution())).hasSize(5000).doesNotHaveDuplicates();
        var cancel = List.<OperatorCommand>of(new OperatorCommand.Cancel(fence.execution()));
        store.operations().act(cancel, OLGA).getFirst().orThrow();
        retain();

        assertThat(fields("spending")).isZero();
        assertThat(fields("execution")).isZero();
    }

    private void retain() {
        while (store.maintenance().tick(Chore.RETENTION, 1000).more()) {
            // There was more than one round can hold.
        }
    }

    private static Submission work() {
        return Submission.of("work", Payload.EMPTY);
    }

    /** How many fields one hash has, in all partitions. */
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
