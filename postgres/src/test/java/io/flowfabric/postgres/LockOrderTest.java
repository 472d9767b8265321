package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A call that waits for a row holds none that comes after it in the order of locks: the test holds
 * the one, waits until the call does, and takes the other.
 */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class LockOrderTest {
    private static final Attribution ADA = new Attribution("ada", "to see");
    private static final Lane LANE = Lane.of("shared");
    private static final LaneSettings SHARING = LaneSettings.DEFAULT.sharing(true);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store =
            PostgresStore.open(
                    TestPostgres.options().withApplicationName("order " + schema.text()), schema);
    private final Connection connection;

    LockOrderTest() throws SQLException {
        connection = TestPostgres.connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        store.close();
    }

    @Test
    void a_change_of_a_quota_or_a_budget_does_not_lock_its_key() {
        store.quotas().define(Quota.atOnce("calls", 1), ADA);
        store.budgets().define(Budget.of("team", "tokens", 1), ADA);
        store.database()
                .transaction(
                        tx -> {
                            tx.query("lock_quota")
                                    .set("namespace", "default")
                                    .set("name", "calls")
                                    .one(row -> row.intValue("id"));
                            tx.query("lock_budget")
                                    .set("namespace", "default")
                                    .set("name", "team")
                                    .one(row -> row.intValue("id"));
                            assertFree("select from %s.quota for key share nowait");
                            assertFree("select from %s.budget for key share nowait");
                            return true;
                        });
    }

    @Test
    void other_settings_of_a_lane_wait_for_nothing_that_waits_in_it() throws Exception {
        store.lanes().configure(LANE, SHARING, ADA);
        submit("ada", "work");
        hold("select from %s.execution for update");

        store.lanes().configure(LANE, LaneSettings.DEFAULT, ADA);

        assertFree("select from %s.share for update nowait");
    }

    @Test
    void the_first_work_behind_a_gate_holds_its_lane_before_it_draws_a_round() throws Exception {
        store.lanes().configure(LANE, SHARING, ADA);
        submit("ada", "work");
        hold("select from %s.lane for update");

        var first = calling(() -> submit("ada", "other work"));

        assertFree("select from %s.share for update nowait");
        finish(first);
    }

    @Test
    void a_claim_of_a_named_execution_holds_its_lane_before_its_row() throws Exception {
        var work = submit("ada", "work");
        var session = Session.of("worker", "1", LANE.name());
        store.sessions().open(session);
        hold("select from %s.lane for update");

        var claim = calling(() -> store.operations().claim(work.id(), session.id(), ADA));

        assertFree("select from %s.execution for update nowait");
        finish(claim);
    }

    @Test
    void who_ends_a_member_holds_its_flow_before_its_row() throws Exception {
        var work = Submission.of("work", Payload.EMPTY).lane(LANE);
        store.flows().submit(FlowSubmission.of("flow").member("a", work));
        var session = Session.of("worker", "1", LANE.name());
        store.sessions().open(session);
        var lease = store.operations().claim(work.id(), session.id(), ADA);
        hold("select from %s.flow for update");

        var ending =
                calling(
                        () ->
                                store.leases()
                                        .end(
                                                List.of(
                                                        new Ending.Complete(
                                                                lease.fence(), Payload.EMPTY))));

        assertFree("select from %s.execution for update nowait");
        finish(ending);
    }

    @Test
    void an_operator_who_acts_on_a_member_holds_its_flow_before_its_row() throws Exception {
        var work = Submission.of("work", Payload.EMPTY).lane(LANE);
        store.flows().submit(FlowSubmission.of("flow").member("a", work));
        hold("select from %s.flow for update");

        var acting =
                calling(
                        () ->
                                store.operations()
                                        .act(List.of(new OperatorCommand.Cancel(work.id())), ADA));

        assertFree("select from %s.execution for update nowait");
        finish(acting);
    }

    private Submission submit(String share, String kind) {
        var work =
                Submission.of(kind, Payload.EMPTY).lane(LANE).policy(Policy.DEFAULT.share(share));
        store.submit(work);
        return work;
    }

    private void hold(String rows) throws SQLException {
        connection.setAutoCommit(false);
        Shop.execute(connection, rows.formatted(schema));
    }

    private void assertFree(String rows) {
        assertThatCode(() -> Shop.execute(connection, rows.formatted(schema)))
                .doesNotThrowAnyException();
    }

    /** Begins a call, and waits until it waits for a lock. */
    private CompletableFuture<Void> calling(Runnable call) throws SQLException {
        var calling = CompletableFuture.runAsync(call);
        long began = System.nanoTime();
        while (!waits()) {
            if (calling.isDone() || System.nanoTime() - began > PATIENCE.toNanos()) {
                throw new AssertionError("the call does not wait");
            }
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
        return calling;
    }

    private boolean waits() throws SQLException {
        try (var other = TestPostgres.connect();
                var statement =
                        other.prepareStatement(
                                "select from pg_stat_activity where application_name = ? and"
                                        + " wait_event_type = 'Lock'")) {
            statement.setString(1, "order " + schema.text());
            return statement.executeQuery().next();
        }
    }

    private void finish(CompletableFuture<Void> call) throws Exception {
        connection.commit();
        call.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    }
}
