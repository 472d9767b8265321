package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** Gates and meters of keys that have no work any more are removed, and come back with it. */
@ResourceLock(TestPostgres.LONG_TRANSACTIONS)
class GatesWithoutWorkTest {
    private static final Attribution ADA = new Attribution("ada", "customers come and go");
    private static final Duration KEPT = Duration.ofSeconds(1);
    private static final Lane OTHER = Lane.of("other");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session =
            Session.of("worker", "1", "default", "other").ttl(Duration.ofHours(1));
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private long claims;

    @BeforeEach
    void open() {
        store.sessions().open(session);
        store.quotas().define(Quota.atOnce("customer", 1), ADA);
    }

    @AfterEach
    void close() {
        threads.close();
        fixture.close();
    }

    @Test
    void a_thousand_keys_whose_work_is_forgotten_leave_nothing_behind() {
        submit(store, IntStream.range(0, 1100).mapToObj(nth -> key("c" + nth)).toList());
        endAll();
        forget();

        sweep();

        assertThat(rows("gate")).isZero();
        assertThat(rows("lane_gate")).isZero();
        assertThat(rows("lane_meter")).isZero();
        assertThat(rows("meter")).isZero();
    }

    @Test
    void few_gates_are_left_alone() {
        submit(store, List.of(key("a")));
        endAll();
        forget();

        trySweep();

        assertThat(rows("gate")).isEqualTo(1);
    }

    @Test
    void work_that_is_refused_because_its_quota_was_deleted_leaves_no_meter_behind() {
        store.quotas().delete(Namespace.DEFAULT, "customer", ADA);

        var answers =
                store.submissions()
                        .submit(List.of(Submission.of("work", Payload.EMPTY).policy(key("a"))));

        assertThat(answers).noneMatch(Answer::isDone);
        assertThat(rows("meter")).isZero();
    }

    @Test
    void what_has_work_stays_whatever_the_work_waits_for() {
        submit(store, List.of(key("running")));
        var running = claim(1);
        submit(store, List.of(key("ended").retention(Duration.ofDays(1))));
        end(claim(1));
        submit(store, List.of(key("forgotten")));
        end(claim(1));
        submit(store, List.of(key("waiting"), key("delayed").start(Due.in(Duration.ofDays(1)))));
        forget();

        sweepNow();

        assertThat(rows("gate")).isEqualTo(4);
        assertThat(rows("lane_gate")).isEqualTo(4);
        assertThat(rows("meter")).isEqualTo(4);
        end(running);
        assertThat(claim(5)).hasSize(1);
    }

    @Test
    void a_key_that_comes_back_is_limited_as_before_whoever_submits() {
        var stale = fixture.another();
        submit(store, List.of(key("a")));
        submit(stale, List.of(key("a")));
        endAll();
        forget();
        sweepNow();
        assertThat(rows("meter")).isZero();

        var first = submit(stale, List.of(key("a")));
        submit(store, List.of(key("a"), key("a").priority(0)));

        assertThat(ids(claim(5))).isEqualTo(first);
    }

    @Test
    void work_that_comes_in_while_gates_are_retired_keeps_its_gate() {
        submit(store, List.of(key("a"), key("b")));
        endAll();
        forget();
        begin();
        var work = submit(store, List.of(key("a")));

        sweep();

        assertThat(rows("lane_gate")).isEqualTo(1);
        assertThat(ids(claim(5))).isEqualTo(work);
    }

    @Test
    void a_gate_that_was_known_from_another_lane_is_made_anew() {
        var stale = fixture.another();
        submit(stale, List.of(key("a")));
        endAll();
        forget();
        sweepNow();

        var work = Submission.of("work", Payload.EMPTY).lane(OTHER).policy(key("a"));
        stale.submissions().submit(List.of(work)).forEach(Answer::orThrow);

        assertThat(ids(claim(5))).containsExactly(work.id());
    }

    @Test
    void an_open_transaction_keeps_the_gates_of_what_it_has_submitted() throws SQLException {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        var work = Submission.of("work", Payload.EMPTY).policy(key("a"));
        try (var tx = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            ((PostgresStore) store).in(tx).submit(work);

            begin();
            trySweep();

            assertThat(rows("lane_gate")).isEqualTo(1);
            tx.commit();
        }
        sweep();

        assertThat(ids(claim(5))).containsExactly(work.id());
    }

    @Test
    void a_transaction_submits_behind_a_gate_that_was_removed_since_it_began() throws SQLException {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        var work = Submission.of("work", Payload.EMPTY).policy(key("a"));
        try (var tx = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            look(tx);
            sweepNow();
            assertThat(rows("lane_gate")).isZero();

            ((PostgresStore) store).in(tx).submit(work);
            tx.commit();
        }

        assertThat(ids(claim(5))).containsExactly(work.id());
    }

    @Test
    void a_transaction_that_cannot_see_that_gates_are_retired_keeps_those_it_uses()
            throws SQLException {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        var work = Submission.of("work", Payload.EMPTY).policy(key("a"));
        try (var tx = transaction(Connection.TRANSACTION_REPEATABLE_READ)) {
            look(tx);
            begin();

            ((PostgresStore) store).in(tx).submit(work);
            trySweep();
            tx.commit();
        }
        sweep();

        assertThat(ids(claim(5))).containsExactly(work.id());
    }

    @Test
    void a_transaction_that_gets_its_number_after_gates_are_retired_keeps_those_it_uses()
            throws Exception {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        var work = Submission.of("work", Payload.EMPTY).key("k").policy(key("a"));
        try (var other = transaction(Connection.TRANSACTION_READ_COMMITTED);
                var tx = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(other, "insert into $.idempotency values ('default', 'k', gen_random_uuid())");
            var submitting = threads.submit(() -> ((PostgresStore) store).in(tx).submit(work));
            awaitWaiting();
            begin();
            other.rollback();
            submitting.get();

            trySweep();
            tx.commit();
        }
        sweep();

        assertThat(ids(claim(5))).containsExactly(work.id());
    }

    @Test
    void a_transaction_that_submits_while_gates_are_being_retired_keeps_those_it_uses()
            throws Exception {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        fixture.execute("update %s.gate_sweep set begins_at = 0".formatted(schema()));
        var work = Submission.of("work", Payload.EMPTY).policy(key("a"));
        try (var other = transaction(Connection.TRANSACTION_READ_COMMITTED);
                var tx = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            execute(other, "select from $.gate_sweep for update");
            var retiring = threads.submit(this::retention);
            awaitWaiting();
            ((PostgresStore) store).in(tx).submit(work);
            other.rollback();
            retiring.get();

            trySweep();
            tx.commit();
        }
        sweep();

        assertThat(ids(claim(5))).containsExactly(work.id());
    }

    @Test
    void a_gate_behind_which_work_is_announced_while_gates_are_removed_stays() throws Exception {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        begin();
        try (var other = transaction(Connection.TRANSACTION_READ_COMMITTED)) {
            // The removal has found that the gate has no work, and waits for its lane.
            awaitStep("heard");
            execute(other, "select from $.lane for share");
            var removing = threads.submit(this::retention);
            awaitWaiting();
            var work = submit(fixture.another(), List.of(key("a")));
            other.rollback();
            removing.get();

            assertThat(ids(claim(5))).isEqualTo(work);
        }
    }

    @Test
    void the_order_of_a_large_batch_is_kept_when_gates_are_retired() {
        var batch = new ArrayList<Policy>();
        IntStream.range(0, 1500).forEach(nth -> batch.add(kept()));
        submit(store, List.of(kept()));
        endAll();
        begin();
        batch.add(kept().priority(0).quota("customer", "new"));

        var ids = submit(store, batch);

        assertThat(ids(claim(1))).containsExactly(ids.getFirst());
    }

    @Test
    void gates_stay_while_a_snapshot_from_before_is_in_use() throws SQLException {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        try (var tx = transaction(Connection.TRANSACTION_REPEATABLE_READ)) {
            look(tx);

            begin();
            trySweep();

            assertThat(rows("lane_gate")).isEqualTo(1);
        }
        sweep();
        assertThat(rows("lane_gate")).isZero();
    }

    @Test
    void a_lane_that_gets_a_gate_right_now_is_passed_over() throws SQLException {
        submit(store, List.of(key("a")));
        endAll();
        forget();
        try (var tx = transaction(Connection.TRANSACTION_READ_COMMITTED);
                var statement = tx.createStatement()) {
            statement.execute("select id from %s.lane for share".formatted(schema()));
            begin();
        }

        sweep();

        assertThat(rows("lane_gate")).isEqualTo(1);
    }

    @Test
    void what_has_started_within_its_window_still_counts() {
        store.quotas().define(Quota.rate("slow", 1, Duration.ofMinutes(5)), ADA);
        submit(store, List.of(kept().quota("slow", "a")));
        endAll();
        forget();
        sweepNow();
        assertThat(rows("gate")).isZero();

        var work = submit(store, List.of(kept().quota("slow", "a")));

        assertThat(claim(5)).isEmpty();
        fixture.advance(Duration.ofMinutes(5));
        fixture.store().maintenance().tick(Chore.TIMERS, 100);
        assertThat(ids(claim(5))).isEqualTo(work);
    }

    private static Policy kept() {
        return Policy.DEFAULT.retention(KEPT);
    }

    private static Policy key(String key) {
        return kept().quota("customer", key);
    }

    private static List<ExecutionId> submit(Store to, List<Policy> policies) {
        var batch =
                policies.stream()
                        .map(policy -> Submission.of("work", Payload.EMPTY).policy(policy))
                        .toList();
        to.submissions().submit(batch).forEach(Answer::orThrow);
        return batch.stream().map(Submission::id).toList();
    }

    private List<Lease> claim(int max) {
        return store.claims().claim(new Claim(session.id(), ++claims, max)).leases();
    }

    private static List<ExecutionId> ids(List<Lease> leases) {
        return leases.stream().map(lease -> lease.fence().execution()).toList();
    }

    private void end(List<Lease> leases) {
        var endings = new ArrayList<Ending>();
        leases.forEach(lease -> endings.add(new Ending.Complete(lease.fence(), Payload.EMPTY)));
        store.leases().end(endings).forEach(Answer::orThrow);
    }

    private void endAll() {
        List<Lease> leases;
        do {
            leases = claim(256);
            end(leases);
        } while (!leases.isEmpty());
    }

    /** All that has ended and may be forgotten. */
    private void forget() {
        fixture.advance(KEPT.plusSeconds(1));
        while (store.maintenance().tick(Chore.RETENTION, 1000).more()) {
            // until there is no more
        }
    }

    /** As if enough gates had been made. */
    private void sweepNow() {
        begin();
        sweep();
    }

    /** Retires gates, and removes none yet. */
    private void begin() {
        fixture.execute("update %s.gate_sweep set begins_at = 0".formatted(schema()));
        retention();
    }

    /**
     * Goes on until gates are removed: other tests on this server may be in the way for a while.
     */
    private void sweep() {
        long patience = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        do {
            assertThat(System.nanoTime()).as("gates were removed in time").isLessThan(patience);
            retention();
        } while (number("select count(*) from %s.gate_sweep where step <> 'resting'") == 1);
    }

    /** Goes on as long as it would take if nothing was in the way. */
    private void trySweep() {
        for (int round = 0; round < 5; round++) {
            retention();
        }
    }

    private void retention() {
        store.maintenance().tick(Chore.RETENTION, 1000);
    }

    private String schema() {
        return fixture.schema().text();
    }

    private long rows(String table) {
        return number("select count(*) from %s." + table);
    }

    private long number(String query) {
        return fixture.number(query.formatted(schema()));
    }

    private static Connection transaction(int isolation) throws SQLException {
        var server = TestServer.get();
        var connection =
                DriverManager.getConnection(server.url(), server.user(), server.password());
        connection.setAutoCommit(false);
        connection.setTransactionIsolation(isolation);
        return connection;
    }

    /** From now on the transaction is open, and has a snapshot if it is one that keeps it. */
    private void look(Connection tx) throws SQLException {
        execute(tx, "select from $.gate_sweep");
        // The driver keeps the snapshot of a query until the next statement.
        execute(tx, "savepoint looked");
    }

    private void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql.replace("$", schema()));
        }
    }

    /** Until a call waits for a lock. */
    private void awaitWaiting() {
        await(
                """
                select count(*) from pg_stat_activity
                where wait_event_type = 'Lock' and query like '%%%s%%'
                """);
    }

    /** Goes on until the sweep has come to this step. */
    private void awaitStep(String step) {
        await("select count(*) from %s.gate_sweep where step = '" + step + "'");
    }

    private void await(String count) {
        long patience = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (number(count) == 0) {
            assertThat(System.nanoTime()).as(count).isLessThan(patience);
            if (count.contains("step")) {
                retention();
            }
        }
    }
}
