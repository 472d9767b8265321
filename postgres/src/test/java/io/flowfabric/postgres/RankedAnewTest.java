package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
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
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;

/**
 * The places of work in a lane whose settings change while transactions are open that know it as it
 * was (R10), while much waits in it (R15), and while others move it, too.
 */
@ResourceLock(TestPostgres.LONG_TRANSACTIONS)
class RankedAnewTest {
    private static final Attribution ADA = new Attribution("ada", "a test");

    /** Moving 12,000 takes ten seconds where much else runs. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static final LaneSettings AGEING = LaneSettings.DEFAULT.ageing(Duration.ofMinutes(1));
    private static final LaneSettings SHARING = LaneSettings.DEFAULT.sharing(true);

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresStore store = (PostgresStore) fixture.store();
    private final Session session = Session.of("worker", "1", "default");
    private Connection open;
    private long number;

    @BeforeEach
    void open() throws SQLException {
        store.sessions().open(session);
        var server = TestServer.get();
        open = DriverManager.getConnection(server.url(), server.user(), server.password());
        open.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        open.close();
        fixture.close();
    }

    @Test
    void work_that_was_queued_beside_the_end_of_ageing_is_not_starved_behind_all_that_comes()
            throws SQLException {
        configure(AGEING);
        var straggler = enqueue(Policy.DEFAULT);
        configure(LaneSettings.DEFAULT);
        open.commit();
        fixture.advance(Duration.ofSeconds(1));
        var later = submit(3, Policy.DEFAULT);

        sweepUntilRanked();

        assertThat(claim(1)).containsExactly(straggler);
        assertThat(claim(3)).isEqualTo(later);
    }

    @Test
    void work_that_was_queued_beside_the_beginning_of_ageing_is_not_before_what_is_more_urgent()
            throws SQLException {
        var straggler = enqueue(Policy.DEFAULT);
        configure(AGEING);
        open.commit();
        var urgent = submit(1, Policy.DEFAULT.priority(9000));

        sweep();

        assertThat(claim(1)).isEqualTo(urgent);
        assertThat(claim(1)).containsExactly(straggler);
    }

    @Test
    void work_that_was_queued_beside_the_beginning_of_sharing_takes_its_turn_and_spends_no_rounds()
            throws SQLException {
        var straggler = enqueue(Policy.DEFAULT.priority(1).share("x"));
        configure(SHARING);
        open.commit();
        // Claimed before a sweep has come, it has no round.
        assertThat(claim(1)).containsExactly(straggler);
        var work = new ArrayList<ExecutionId>();
        work.addAll(submit(2, Policy.DEFAULT.priority(1).share("x")));
        work.addAll(submit(1, Policy.DEFAULT.priority(1).share("y")));

        assertThat(claim(3)).containsExactly(work.get(0), work.get(2), work.get(1));
        assertThat(fixture.number("select max(reached) from %s.round".formatted(schema())))
                .isLessThan(10);
    }

    @Test
    void as_long_as_a_transaction_is_open_the_lane_is_looked_at_again_and_not_longer()
            throws SQLException {
        configure(AGEING);
        enqueue(Policy.DEFAULT);
        configure(LaneSettings.DEFAULT);

        sweep();
        assertThat(toRank()).isEqualTo(1);
        open.rollback();
        sweepUntilRanked();
    }

    /**
     * A transaction that has read and not written has no number by which it could be waited for.
     */
    @Test
    void work_is_not_starved_whose_transaction_had_only_read_when_ageing_ended()
            throws SQLException {
        configure(AGEING);
        submit(1, Policy.DEFAULT);
        open.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        hold("select from %s.lane".formatted(schema()));
        configure(LaneSettings.DEFAULT);
        claim(1);
        sweep();
        assertThat(toRank()).isEqualTo(1);

        var straggler = enqueue(Policy.DEFAULT);
        sweep();
        assertThat(toRank()).isEqualTo(1);
        open.commit();
        fixture.advance(Duration.ofSeconds(1));
        var later = submit(3, Policy.DEFAULT);
        sweepUntilRanked();

        assertThat(claim(1)).containsExactly(straggler);
        assertThat(claim(3)).isEqualTo(later);
    }

    /** Between two statements it has no snapshot, and its number is larger than the change's. */
    @Test
    void a_transaction_is_waited_for_that_read_before_a_change_and_wrote_after_it()
            throws Exception {
        configure(AGEING);
        var key = "hashtext('%s')".formatted(schema());
        fixture.execute("select pg_advisory_lock(%s)".formatted(key));
        try (var threads = Executors.newSingleThreadExecutor()) {
            var straggler =
                    threads.submit(
                            () -> {
                                hold(
                                        "select pg_advisory_xact_lock(%s), txid_current()"
                                                .formatted(key));
                                return true;
                            });
            awaitWaiting();
            configure(LaneSettings.DEFAULT);
            fixture.execute("select pg_advisory_unlock(%s)".formatted(key));
            straggler.get();
        }
        // The server keeps the snapshot of a statement until the next one.
        hold("select 1");

        sweep();
        assertThat(toRank()).isEqualTo(1);
        open.commit();
        sweepUntilRanked();
    }

    @Test
    void processes_that_move_one_lane_at_once_leave_no_entry_behind() throws Exception {
        int size = 12_000;
        var backlog = submit(size, Policy.DEFAULT.share("x"));
        hold("select from %s.execution for update".formatted(schema()));
        configure(SHARING);
        open.rollback();

        try (var engines = Executors.newFixedThreadPool(4)) {
            var running = new ArrayList<Future<?>>();
            for (int i = 0; i < 4; i++) {
                running.add(engines.submit(this::sweepUntilRanked));
            }
            for (var engine : running) {
                engine.get();
            }
        }

        assertThat(apart()).isZero();
        // One turn each: nothing was given two.
        assertThat(fixture.number("select max(round) from %s.share".formatted(schema())))
                .isEqualTo(size);
        cancel(backlog);
        assertThat(fixture.number("select count(*) from %s.ready".formatted(schema()))).isZero();
    }

    /** The lock of the lane keeps processes from doing the same; what they do is right without. */
    @Test
    void transactions_that_move_the_same_work_at_once_give_each_piece_one_turn() throws Exception {
        int size = 200;
        configure(SHARING);
        var ids = submit(size, Policy.DEFAULT.share("x")).stream().map(ExecutionId::uuid).toList();
        for (int change = 0; change < 20; change++) {
            fixture.execute(
                    "update %1$s.lane set first_round = 1 + (select max(round) from %1$s.share)"
                            .formatted(schema()));
            try (var processes = Executors.newFixedThreadPool(3)) {
                var moving = new ArrayList<Future<Integer>>();
                for (int i = 0; i < 3; i++) {
                    moving.add(processes.submit(() -> move(ids)));
                }
                int moved = 0;
                for (var process : moving) {
                    moved += process.get();
                }
                assertThat(moved).isEqualTo(size);
            }
            // One that read them before comes too late.
            assertThat(move(ids)).isZero();
            assertThat(apart()).isZero();
            assertThat(
                            fixture.number(
                                    ("select max(s.round) - max(l.first_round) + 1 from %1$s.share"
                                                    + " s join %1$s.lane l on l.id = s.lane")
                                            .formatted(schema())))
                    .isEqualTo(size);
        }
    }

    @Test
    void sharing_that_ends_and_begins_again_at_once_keeps_the_order_within_a_key()
            throws Exception {
        configure(SHARING);
        var ann = submit(30, Policy.DEFAULT.share("ann"));
        var bo = submit(10, Policy.DEFAULT.share("bo"));
        hold(
                "select from %s.execution where id <> '%s' for update"
                        .formatted(schema(), ann.getFirst().uuid()));
        // Only the first has a place without a round now, and then the first round of all.
        configure(LaneSettings.DEFAULT);
        configure(SHARING);
        open.rollback();
        sweepUntilRanked();
        var later = submit(1, Policy.DEFAULT.share("ann")).getFirst();

        var started = claim(41);

        assertThat(started).filteredOn(bo::contains).isEqualTo(bo);
        assertThat(started).filteredOn(ann::contains).isEqualTo(ann);
        assertThat(started.getLast()).isEqualTo(later);
        assertThat(started.subList(0, 4))
                .containsExactly(ann.get(0), bo.get(0), ann.get(1), bo.get(1));
    }

    @Test
    void a_backlog_is_moved_in_pieces_and_a_locked_execution_holds_up_only_itself()
            throws SQLException {
        var backlog = submit(5000, Policy.DEFAULT);
        var urgent = submit(1, Policy.DEFAULT.priority(5)).getFirst();
        hold(
                "select from %s.execution where id = '%s' for update"
                        .formatted(schema(), backlog.getFirst().uuid()));

        configure(AGEING);
        assertThat(misplaced()).isEqualTo(1);
        assertThat(claim(2)).containsExactly(urgent, backlog.get(1));

        open.rollback();
        sweepUntilRanked();
        assertThat(misplaced()).isZero();
        // A process that was not told of the move looks where it has not looked before.
        assertThat(claim(fixture.another(), 1)).containsExactly(backlog.getFirst());
    }

    /** Runs a query in the transaction that is open. */
    private void hold(String query) throws SQLException {
        try (var statement = open.createStatement()) {
            statement.execute(query);
        }
    }

    private void configure(LaneSettings settings) {
        store.lanes().configure(Lane.DEFAULT, settings, ADA);
    }

    /** Submits in a transaction that stays open. */
    private ExecutionId enqueue(Policy policy) {
        var work = Submission.of("work", Payload.EMPTY).policy(policy);
        store.in(open).submit(List.of(work)).forEach(Answer::orThrow);
        return work.id();
    }

    private List<ExecutionId> submit(int count, Policy policy) {
        var work = new ArrayList<Submission>();
        for (int i = 0; i < count; i++) {
            work.add(Submission.of("work", Payload.EMPTY).policy(policy));
        }
        for (int from = 0; from < count; from += 1000) {
            store.submissions()
                    .submit(work.subList(from, Math.min(count, from + 1000)))
                    .forEach(Answer::orThrow);
        }
        return work.stream().map(Submission::id).toList();
    }

    private List<ExecutionId> claim(int max) {
        return claim(store, max);
    }

    private List<ExecutionId> claim(PostgresStore by, int max) {
        return by.claims().claim(new Claim(session.id(), ++number, max)).leases().stream()
                .map(lease -> lease.fence().execution())
                .toList();
    }

    /** A round of another process, which has not looked yet. */
    private void sweep() {
        fixture.another().maintenance().tick(Chore.TIMERS, 100);
    }

    /**
     * Rounds of other processes, until nothing can be out of place. Transactions of tests beside
     * this one are waited for, too.
     */
    private void sweepUntilRanked() {
        long patience = System.nanoTime() + PATIENCE.toNanos();
        while (toRank() > 0) {
            var engine = fixture.another().maintenance();
            do {
                assertThat(System.nanoTime()).isLessThan(patience);
                engine.tick(Chore.TIMERS, 100);
                LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
            } while (engine.nextDue(Duration.ofDays(1)).orElseThrow().toSeconds() < 1);
        }
    }

    /** Waits until the transaction that is open waits for the lock. */
    private void awaitWaiting() {
        long patience = System.nanoTime() + PATIENCE.toNanos();
        while (fixture.number(
                        ("select count(*) from pg_locks where locktype = 'advisory' and not granted"
                                        + " and objid = (hashtext('%s')::bigint & 4294967295)::oid")
                                .formatted(schema()))
                == 0) {
            assertThat(System.nanoTime()).isLessThan(patience);
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    /** Moves what is out of place, and not held by another that does the same. */
    private int move(List<UUID> ids) {
        return store.database()
                .transaction(
                        tx -> {
                            var waiting =
                                    tx.query("lock_waiting")
                                            .uuids("ids", ids, id -> id)
                                            .list(row -> row.uuid("id"));
                            var moved =
                                    tx.query("rank_anew")
                                            .uuids("ids", waiting, id -> id)
                                            .list(row -> row.uuid("id"));
                            tx.query("place").uuids("ids", moved, id -> id).update();
                            return moved.size();
                        });
    }

    private void cancel(List<ExecutionId> works) {
        for (int from = 0; from < works.size(); from += 1000) {
            var commands =
                    works.subList(from, Math.min(works.size(), from + 1000)).stream()
                            .<OperatorCommand>map(OperatorCommand.Cancel::new)
                            .toList();
            store.operations().act(commands, ADA).forEach(Answer::orThrow);
        }
    }

    /** How many entries are not where their executions say. */
    private long apart() {
        return fixture.number(
                ("select count(*) from %1$s.ready r join %1$s.execution e on e.id = r.id where"
                                + " r.rank <> e.rank")
                        .formatted(schema()));
    }

    private long toRank() {
        return fixture.number(
                "select count(*) from %s.lane where ranked_by is not null".formatted(schema()));
    }

    private long misplaced() {
        return fixture.number(
                ("select count(*) from %1$s.ready r join %1$s.lane l on l.id = r.lane join"
                                + " %1$s.execution e on e.id = r.id where r.rank <>"
                                + " %1$s.place_of(e.priority, e.submitted, l.ageing, l.sharing)")
                        .formatted(schema()));
    }

    private String schema() {
        return fixture.schema().text();
    }
}
