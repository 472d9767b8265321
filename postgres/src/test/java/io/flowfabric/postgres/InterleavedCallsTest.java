package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Grants.Redemption;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.Keys.Rotation;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** Calls that meet at rows which another transaction holds. */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class InterleavedCallsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Attribution ADA = new Attribution("ada", "to see who waits");

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Session session = Session.of("worker", "1", "default");
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

    /** Holds the rows that a call will wait for. */
    private Connection other;

    @BeforeEach
    void open() throws SQLException {
        store.sessions().open(session);
        var server = TestServer.get();
        other = DriverManager.getConnection(server.url(), server.user(), server.password());
        other.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        other.close();
        threads.close();
        fixture.close();
    }

    @Test
    void a_repeated_claim_tells_what_the_call_before_it_is_about_to_be_given() throws Exception {
        var work = submit(Policy.DEFAULT);
        var claim = new Claim(session.id(), 1, 1);

        // The first has taken the work, and cannot write its receipt yet.
        hold(
                "insert into $.receipt (session, number, ids, epochs) values ('%s', 1, '{}', '{}')"
                        .formatted(session.id().uuid()));
        var first = threads.submit(() -> store.claims().claim(claim));
        awaitWaiting(1);
        var second = threads.submit(() -> store.claims().claim(claim.again()));
        awaitWaiting(2);
        other.rollback();

        assertThat(ids(second)).containsExactly(work);
        assertThat(ids(first)).containsExactly(work);
    }

    @Test
    void a_repeat_that_is_acknowledged_leaves_no_lease_behind() throws Exception {
        store.quotas().define(Quota.atOnce("customer", 5), ADA);
        var work = submit(Policy.DEFAULT.quota("customer", "x"));
        var claim = new Claim(session.id(), 1, 1);

        hold("select id from $.meter for update");
        var first = threads.submit(() -> store.claims().claim(claim));
        awaitWaiting(1);
        var second =
                threads.submit(
                        () -> {
                            var told = store.claims().claim(claim.again());
                            store.sessions()
                                    .heartbeat(List.of(new Heartbeat(session.id(), 1, Set.of())))
                                    .forEach(Answer::orThrow);
                            return told;
                        });
        awaitWaiting(2);
        other.rollback();

        assertThat(ids(second)).containsExactly(work);
        assertThat(ids(first)).containsExactly(work);
    }

    @Test
    void a_key_is_free_again_when_its_id_is_taken_at_the_same_moment() throws Exception {
        submit(Policy.DEFAULT);
        var first = Submission.of("work", Payload.EMPTY);
        ((PostgresStore) store).in(other).submit(first);

        // It has taken the key, and waits for the transaction that has taken the id.
        var keyed = Submission.of("other", Payload.EMPTY).id(first.id()).key("order-7");
        var second = threads.submit(() -> store.submissions().submit(List.of(keyed)));
        awaitWaiting(1);
        other.commit();

        assertThat(second.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)).noneMatch(Answer::isDone);
        var third = Submission.of("work", Payload.EMPTY).key("order-7");
        assertThat(store.submissions().submit(List.of(third)))
                .containsExactly(Answer.done(new Submitted(third.id(), true)));
    }

    @Test
    void what_a_report_has_settled_is_not_given_back_once_more_by_the_end() throws Exception {
        store.budgets().define(Budget.of("team", "tokens", 100), ADA);
        var reserving = Policy.DEFAULT.budget("team", Map.of("tokens", 10L));
        submit(reserving);
        submit(reserving);
        var leases = store.claims().claim(new Claim(session.id(), 1, 2)).leases();
        var fence = leases.getFirst().fence();

        hold("select id from $.meter for update");
        var report = new UsageReport(fence, "team", "tokens", 4, "report");
        var reported = threads.submit(() -> store.leases().spend(List.of(report)));
        awaitWaiting(1);
        var ending = new Ending.Complete(fence, Payload.EMPTY);
        var ended = threads.submit(() -> store.leases().end(List.of(ending)));
        awaitWaiting(2);
        other.rollback();
        reported.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).forEach(Answer::orThrow);
        ended.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).forEach(Answer::orThrow);

        var view = store.budgets().describe(Namespace.DEFAULT, "team");
        assertThat(view.levels()).containsEntry("tokens", new BudgetView.Level(4, 10));
    }

    @Test
    void another_bound_is_told_after_what_was_counted_under_the_one_before() throws Exception {
        store.quotas().define(Quota.atOnce("mail", 1), ADA);
        submit(Policy.DEFAULT.quota("mail"));

        // Whoever has locked the meter counts under the bound of before, and tells of it then.
        hold("select id from $.meter for update");
        var changed = threads.submit(() -> store.quotas().define(Quota.atOnce("mail", 0), ADA));
        awaitWaiting(1);
        hold("select nextval('$.event_id')");
        var schema = fixture.schema().text();
        long told = fixture.number("select last_value from %s.event_id".formatted(schema));
        other.rollback();
        changed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);

        assertThat(fixture.number("select max(id) from %s.event".formatted(schema)))
                .isGreaterThan(told);
    }

    @Test
    void a_ticket_whose_key_is_withdrawn_while_it_is_redeemed_is_worth_nothing() throws Exception {
        store.keys().first();
        submit(Policy.DEFAULT);
        var claim = new Claim(session.id(), 1, 1);
        var grant = store.grants().claimForWorker(claim, Grants.DEFAULT_TTL).grants().getFirst();
        var redemption = new Redemption(session.id(), 2, List.of(grant.token()));

        // It has been found genuine, and is not redeemed yet.
        hold("lock table $.execution in access exclusive mode");
        var redeemed = threads.submit(() -> store.grants().redeem(redemption));
        awaitWaiting(1);
        store.keys().rotate(Rotation.after(Duration.ZERO), ADA);
        other.rollback();

        assertThat(redeemed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS))
                .allMatch(answer -> !answer.isDone());
    }

    private ExecutionId submit(Policy policy) {
        var work = Submission.of("work", Payload.EMPTY).policy(policy);
        store.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return work.id();
    }

    private static List<ExecutionId> ids(Future<Claimed> claimed) throws Exception {
        return claimed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).leases().stream()
                .map(lease -> lease.fence().execution())
                .toList();
    }

    private void hold(String sql) throws SQLException {
        try (var statement = other.createStatement()) {
            statement.execute(sql.replace("$", fixture.schema().text()));
        }
    }

    /** Waits until so many calls wait for the other transaction, or for one that does. */
    private void awaitWaiting(int count) throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (var statement = other.createStatement()) {
            while (waiting(statement) < count) {
                assertThat(System.nanoTime()).as("calls that wait").isLessThan(end);
                Thread.onSpinWait();
            }
        }
    }

    private static int waiting(Statement statement) throws SQLException {
        try (var rows =
                statement.executeQuery(
                        """
                        with recursive waiting (pid) as (
                            select pg_backend_pid()
                            union
                            select l.pid from pg_locks l join waiting w on w.pid = any(pg_blocking_pids(l.pid))
                            where not l.granted
                        )
                        select count(*) - 1 from waiting
                        """)) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
