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
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The places of work in a lane whose settings change while transactions are open that know it as it
 * was (R10), and while much waits in it (R15).
 */
class RankedAnewTest {
    private static final Attribution ADA = new Attribution("ada", "a test");
    private static final LaneSettings AGEING = LaneSettings.DEFAULT.ageing(Duration.ofMinutes(1));

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

        sweep();

        assertThat(claim(1)).containsExactly(straggler);
        assertThat(claim(3)).isEqualTo(later);
        assertThat(toRank()).isZero();
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
        configure(LaneSettings.DEFAULT.sharing(true));
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
        sweep();
        assertThat(toRank()).isZero();
    }

    @Test
    void a_backlog_is_moved_in_pieces_and_a_locked_execution_holds_up_only_itself()
            throws SQLException {
        var backlog = submit(5000, Policy.DEFAULT);
        var urgent = submit(1, Policy.DEFAULT.priority(5)).getFirst();
        try (var statement = open.createStatement()) {
            statement.execute(
                    "select id from %s.execution where id = '%s' for update"
                            .formatted(schema(), backlog.getFirst().uuid()));
        }

        configure(AGEING);
        assertThat(misplaced()).isEqualTo(1);
        assertThat(claim(2)).containsExactly(urgent, backlog.get(1));

        open.rollback();
        sweep();
        assertThat(misplaced()).isZero();
        assertThat(toRank()).isZero();
        // A process that was not told of the move looks where it has not looked before.
        assertThat(claim(fixture.another(), 1)).containsExactly(backlog.getFirst());
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
