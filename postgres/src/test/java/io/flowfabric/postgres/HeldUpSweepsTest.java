package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * Sweeps beside a transaction that holds rows for as long as it likes, as that of a process does
 * which was frozen in the middle of a call (R1): of rows, of meters, and of what else a step needs.
 * Or beside rows that no step can be written for (R27, R35).
 */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class HeldUpSweepsTest {
    private static final Attribution ADA = new Attribution("ada", "to see who waits");
    private static final Duration SOON = Duration.ofSeconds(10);

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private Connection frozen;

    @BeforeEach
    void open() throws SQLException {
        var server = TestServer.get();
        frozen = DriverManager.getConnection(server.url(), server.user(), server.password());
        frozen.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        frozen.close();
        threads.close();
        fixture.close();
    }

    @Test
    void a_session_whose_claim_is_frozen_dies_with_the_others_and_its_work_is_taken_over()
            throws Exception {
        var stuck = open("stuck");
        var other = open("other");
        var work = List.of(claimed(stuck, submit(Policy.DEFAULT)), claimed(other, one()));
        hold("select id from $.session where id = '%s' for key share".formatted(stuck.id().uuid()));

        fixture.advance(Session.DEFAULT_TTL);
        var round = sweep(Chore.SESSIONS);

        assertThat(round.processed()).isEqualTo(2);
        work.forEach(id -> assertThat(situation(id)).isEqualTo(Situation.READY));
        assertThat(unburied()).isEqualTo(1);

        frozen.rollback();
        sweep(Chore.SESSIONS);
        assertThat(unburied()).isZero();
    }

    @Test
    void what_a_claim_is_given_after_the_death_of_its_session_comes_back() throws Exception {
        var stuck = open("stuck");
        var id = submit(Policy.DEFAULT);
        // The claim has taken the work, and cannot write its receipt yet.
        hold(
                "insert into $.receipt (session, number, ids, epochs) values ('%s', 1, '{}', '{}')"
                        .formatted(stuck.id().uuid()));
        var claim = threads.submit(() -> store.claims().claim(new Claim(stuck.id(), 1, 1)));
        awaitWaiter();

        fixture.advance(Session.DEFAULT_TTL);
        assertThat(sweep(Chore.SESSIONS).processed()).isZero();
        frozen.rollback();
        Claimed given = claim.get(SOON.toSeconds(), TimeUnit.SECONDS);

        assertThat(given.leases()).hasSize(1);
        assertThat(situation(id)).isEqualTo(Situation.RUNNING);
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(1);
        assertThat(situation(id)).isEqualTo(Situation.READY);
        assertThat(unburied()).isZero();
    }

    @Test
    void an_operator_declares_a_session_dead_whose_claim_is_frozen() throws Exception {
        var stuck = open("stuck");
        var id = claimed(stuck, one());
        hold("select id from $.session where id = '%s' for key share".formatted(stuck.id().uuid()));

        var view = soon(() -> store.workers().markDead(stuck.id(), ADA));

        assertThat(view.alive()).isFalse();
        assertThat(situation(id)).isEqualTo(Situation.READY);
    }

    @Test
    void a_claim_that_began_before_its_session_was_buried_is_given_nothing() throws Exception {
        var stuck = open("stuck");
        var id = submit(Policy.DEFAULT);
        // The claim has its snapshot, and has not locked its session yet.
        hold(
                "select pg_advisory_xact_lock(hashtextextended('%s', 1))"
                        .formatted(stuck.id().uuid()));
        var claim = threads.submit(() -> store.claims().claim(new Claim(stuck.id(), 1, 1)));
        awaitWaiter();

        soon(() -> store.workers().markDead(stuck.id(), ADA));
        frozen.rollback();

        assertThatThrownBy(() -> claim.get(SOON.toSeconds(), TimeUnit.SECONDS))
                .hasCauseInstanceOf(NotFound.class);
        assertThat(situation(id)).isEqualTo(Situation.READY);
    }

    @Test
    void leases_and_timers_that_are_locked_do_not_hold_up_the_others() throws Exception {
        var late = Policy.DEFAULT.start(Due.in(Duration.ofSeconds(5)));
        var lockedLater = submit(late);
        var later = submit(late);
        var dying = open("dying");
        var lockedHeld = claimed(dying, one());
        var held = claimed(dying, one());
        hold(
                "select id from $.execution where id in ('%s', '%s') for update"
                        .formatted(lockedLater.uuid(), lockedHeld.uuid()));

        fixture.advance(Session.DEFAULT_TTL);
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(1);
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(1);
        assertThat(situation(held)).isEqualTo(Situation.READY);
        assertThat(situation(later)).isEqualTo(Situation.READY);

        frozen.rollback();
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(1);
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(1);
    }

    @Test
    void a_round_looks_behind_as_many_locked_rows_as_it_may_do() throws Exception {
        var late = Policy.DEFAULT.start(Due.in(Duration.ofSeconds(5)));
        var locked = new ArrayList<String>();
        for (int i = 0; i < 5; i++) {
            locked.add("'" + submit(late).uuid() + "'");
        }
        fixture.advance(Duration.ofSeconds(1));
        var later = submit(late);
        hold(
                "select id from $.execution where id in (%s) for update"
                        .formatted(String.join(",", locked)));

        fixture.advance(Duration.ofSeconds(10));
        var round = soon(() -> store.maintenance().tick(Chore.TIMERS, 2));

        assertThat(round.processed()).isEqualTo(1);
        assertThat(situation(later)).isEqualTo(Situation.READY);
    }

    @Test
    void a_held_meter_holds_up_only_what_counts_against_it() throws Exception {
        store.quotas().define(Quota.atOnce("customer", 5), ADA);
        var dying = open("dying");
        var counted = claimed(dying, submit(Policy.DEFAULT.quota("customer", "x")));
        var plain = claimed(dying, one());
        hold("select id from $.meter for update");

        fixture.advance(Session.DEFAULT_TTL);
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(1);
        assertThat(situation(plain)).isEqualTo(Situation.READY);
        assertThat(situation(counted)).isEqualTo(Situation.RUNNING);

        frozen.rollback();
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(1);
        assertThat(situation(counted)).isEqualTo(Situation.READY);
    }

    @Test
    void a_held_share_key_holds_up_only_fresh_work_of_it() throws Exception {
        var late = Policy.DEFAULT.start(Due.in(Duration.ofSeconds(5)));
        sharing("shared");
        submit("shared", Policy.DEFAULT.share("x"));
        submit("shared", Policy.DEFAULT.share("y"));
        var keyed = submit("shared", late.share("x"));
        var other = submit("shared", late.share("y"));
        var plain = submit(late);
        hold("select * from $.share where key = 'x' for update");

        fixture.advance(SOON);
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(2);
        assertThat(situation(plain)).isEqualTo(Situation.READY);
        assertThat(situation(other)).isEqualTo(Situation.READY);
        assertThat(situation(keyed)).isEqualTo(Situation.DELAYED);

        frozen.rollback();
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(1);
        assertThat(situation(keyed)).isEqualTo(Situation.READY);
    }

    @Test
    void a_held_round_holds_up_no_lease_but_grants_of_fresh_work() throws Exception {
        store.keys().first();
        sharing("shared");
        var granted = submit("shared", Policy.DEFAULT.share("x"));
        var dying = Session.of("worker", "dying", "shared", "default");
        store.sessions().open(dying);
        var claim = new Claim(dying.id(), ++number, 1);
        assertThat(store.grants().claimForWorker(claim, Grants.DEFAULT_TTL).grants()).hasSize(1);
        var leased = claimed(dying, submit("shared", Policy.DEFAULT.share("x")));
        var plain = claimed(dying, one());
        hold("update $.round set reached = reached");

        fixture.advance(Session.DEFAULT_TTL);
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(2);
        assertThat(situation(leased)).isEqualTo(Situation.READY);
        assertThat(situation(plain)).isEqualTo(Situation.READY);
        assertThat(situation(granted)).isEqualTo(Situation.GRANTED);

        frozen.rollback();
        assertThat(sweep(Chore.SESSIONS).processed()).isEqualTo(1);
        assertThat(situation(granted)).isEqualTo(Situation.READY);
    }

    /** A key that another transaction is about to make cannot be seen, so it is searched for. */
    @Test
    void what_holds_up_a_batch_unseen_is_found_by_splitting_it() throws Exception {
        var late = Policy.DEFAULT.start(Due.in(Duration.ofSeconds(5)));
        sharing("shared");
        var plain = new ArrayList<>(List.of(submit(late), submit(late), submit(late)));
        var keyed = submit("shared", late.share("x"));
        plain.add(submit(late));
        hold(
                "insert into $.share (lane, priority, key, round) select id, 0, 'x', 0 from $.lane"
                        + " where name = 'shared'");

        fixture.advance(SOON);
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(4);
        plain.forEach(id -> assertThat(situation(id)).isEqualTo(Situation.READY));
        assertThat(situation(keyed)).isEqualTo(Situation.DELAYED);

        frozen.rollback();
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(1);
    }

    @Test
    void a_round_that_is_held_up_as_a_whole_ends_and_the_next_does_what_it_left() throws Exception {
        var cancelling = Budget.of("money", "cents", 10).enforcement(Budget.Enforcement.CANCEL);
        store.budgets().define(cancelling, ADA);
        submit(Policy.DEFAULT.start(Due.in(Duration.ofSeconds(5))));
        var worker = open("worker");
        submit(Policy.DEFAULT.budget("money"));
        var lease = store.claims().claim(new Claim(worker.id(), ++number, 1)).leases().getFirst();
        var report = new UsageReport(lease.fence(), "money", "cents", 10, "report");
        hold("lock table $.ready in share mode");

        assertThat(soon(() -> store.leases().spend(List.of(report))).getFirst().isDone()).isTrue();
        fixture.advance(Duration.ofSeconds(5));
        assertThat(sweep(Chore.TIMERS)).isEqualTo(new Round(0, 0, false));

        frozen.rollback();
        assertThat(sweep(Chore.TIMERS).processed()).isEqualTo(2);
        assertThat(situation(lease.fence().execution())).isEqualTo(Situation.CANCELLED);
    }

    @Test
    void one_execution_that_no_step_can_be_written_for_does_not_hold_up_the_others() {
        var dying = open("dying");
        var good = List.of(claimed(dying, one()), claimed(dying, one()));
        var bad = claimed(dying, one());
        var last = claimed(dying, one());
        fixture.execute(
                "alter table %s.ready add constraint not_this check (id <> '%s')"
                        .formatted(fixture.schema().text(), bad.uuid()));
        try {
            fixture.advance(Session.DEFAULT_TTL);
            var round = soon(() -> store.maintenance().tick(Chore.SESSIONS, 1000));

            assertThat(round).isEqualTo(new Round(3, 1, false));
            good.forEach(id -> assertThat(situation(id)).isEqualTo(Situation.READY));
            assertThat(situation(last)).isEqualTo(Situation.READY);
            assertThat(situation(bad)).isEqualTo(Situation.RUNNING);
        } finally {
            fixture.execute(
                    "alter table %s.ready drop constraint not_this"
                            .formatted(fixture.schema().text()));
        }
    }

    @Test
    void unreadable_leases_do_not_starve_those_behind_them() {
        var dying = open("dying");
        for (int i = 0; i < 3; i++) {
            fixture.poison(claimed(dying, one()));
        }
        var behind = open("behind");
        var good = claimed(behind, one());

        fixture.advance(Session.DEFAULT_TTL);
        int returned = 0;
        for (int round = 0; round < 2; round++) {
            returned += soon(() -> store.maintenance().tick(Chore.SESSIONS, 2)).processed();
        }

        assertThat(returned).isEqualTo(1);
        assertThat(situation(good)).isEqualTo(Situation.READY);
    }

    @Test
    void old_sessions_are_forgotten_although_many_executions_wait_for_that_too() {
        store.sessions().close(open("old").id());
        for (int i = 0; i < 3; i++) {
            store.operations().act(List.of(new OperatorCommand.Cancel(one())), ADA);
        }
        fixture.advance(Duration.ofDays(30));

        var round = store.maintenance().tick(Chore.RETENTION, 1);

        assertThat(round.more()).isTrue();
        assertThat(
                        fixture.number(
                                "select count(*) from %s.session"
                                        .formatted(fixture.schema().text())))
                .isZero();
    }

    private Session open(String instance) {
        var session = Session.of("worker", instance, "default");
        store.sessions().open(session);
        return session;
    }

    private ExecutionId one() {
        return submit(Policy.DEFAULT);
    }

    private ExecutionId submit(Policy policy) {
        return submit("default", policy);
    }

    private ExecutionId submit(String lane, Policy policy) {
        var work = Submission.of("work", Payload.EMPTY).lane(lane).policy(policy);
        store.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return work.id();
    }

    private void sharing(String lane) {
        store.lanes().configure(Lane.of(lane), LaneSettings.DEFAULT.sharing(true), ADA);
    }

    private long number;

    private ExecutionId claimed(Session session, ExecutionId work) {
        var leases = store.claims().claim(new Claim(session.id(), ++number, 1)).leases();
        assertThat(leases).extracting(lease -> lease.fence().execution()).containsExactly(work);
        return work;
    }

    private Situation situation(ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow().state().situation();
    }

    private long unburied() {
        return fixture.number(
                "select count(*) from %s.session where dead and not buried"
                        .formatted(fixture.schema().text()));
    }

    private Round sweep(Chore chore) throws Exception {
        return soon(() -> store.maintenance().tick(chore, 1000));
    }

    /** What a call answers that must not wait for the frozen one. */
    private <T> T soon(Callable<T> call) {
        try {
            return threads.submit(call).get(SOON.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError("The call was held up", e);
        }
    }

    private void hold(String sql) throws SQLException {
        try (var statement = frozen.createStatement()) {
            statement.execute(sql.replace("$", fixture.schema().text()));
        }
    }

    private void awaitWaiter() throws SQLException {
        long end = System.nanoTime() + SOON.toNanos();
        try (var statement = frozen.createStatement()) {
            while (true) {
                try (var rows =
                        statement.executeQuery(
                                "select exists (select from pg_locks l where not l.granted and"
                                        + " pg_backend_pid() = any(pg_blocking_pids(l.pid)))")) {
                    rows.next();
                    if (rows.getBoolean(1)) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("a claim that waits").isLessThan(end);
                Thread.onSpinWait();
            }
        }
    }
}
