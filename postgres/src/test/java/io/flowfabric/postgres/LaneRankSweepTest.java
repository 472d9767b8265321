package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;

/**
 * What sweeps do about lanes whose settings were changed while much waits in them: a little in each
 * round, from where they left off, and in every lane.
 */
class LaneRankSweepTest {
    private static final Attribution ADA = new Attribution("ada", "a test");
    private static final Lane LARGE = Lane.of("large");
    private static final Lane SMALL = Lane.of("small");
    private static final LaneSettings AGEING = LaneSettings.DEFAULT.ageing(Duration.ofMinutes(1));
    private static final LaneSettings SHARING = LaneSettings.DEFAULT.sharing(true);

    /** More than a round can move. */
    private static final int MUCH = 20_000;

    private final PostgresFixture fixture = new PostgresFixture();
    private final PostgresStore store = (PostgresStore) fixture.store();
    private final Maintenance engine = fixture.another().maintenance();
    private Connection open;

    @BeforeEach
    void open() throws SQLException {
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
    void a_round_moves_a_part_and_the_next_goes_on_where_it_ended() throws SQLException {
        submit(LARGE, MUCH, "x");
        changeWithoutMoving(LARGE, AGEING);

        engine.tick(Chore.TIMERS, 100);

        long left = misplaced(LARGE);
        assertThat(left).isGreaterThan(MUCH / 10).isLessThan(MUCH);
        assertThat(engine.nextDue(Duration.ofDays(1)).orElseThrow()).isLessThan(ms(200));
        // A round that began at the beginning would come upon this one.
        fixture.execute(
                ("with moved as (update %1$s.execution set rank = rank + 1 where id in (select id"
                     + " from %1$s.ready order by submitted, seq limit 1) returning id) update"
                     + " %1$s.ready r set rank = rank + 1 from moved where r.id = moved.id")
                        .formatted(fixture.schema()));
        int rounds = 0;
        while (misplaced(LARGE) > 1) {
            assertThat(rounds++).isLessThan(MUCH / 500);
            awaitTurn();
            engine.tick(Chore.TIMERS, 100);
        }
        assertThat(misplaced(LARGE)).isEqualTo(1);
    }

    @Test
    void a_large_lane_does_not_keep_a_later_one_waiting() throws SQLException {
        submit(LARGE, MUCH, "x");
        submit(SMALL, 10, "x");
        changeWithoutMoving(LARGE, AGEING);
        changeWithoutMoving(SMALL, AGEING);

        engine.tick(Chore.TIMERS, 100);
        awaitTurn();
        engine.tick(Chore.TIMERS, 100);

        assertThat(misplaced(LARGE)).isBetween(1L, MUCH - 1L);
        assertThat(misplaced(SMALL)).isZero();
    }

    @Test
    void a_lane_whose_turns_another_transaction_holds_keeps_no_other_one_waiting()
            throws SQLException {
        submit(LARGE, 10, "x");
        submit(SMALL, 10, "x");
        changeWithoutMoving(LARGE, SHARING);
        changeWithoutMoving(SMALL, AGEING);
        hold(
                ("insert into %1$s.share (lane, priority, key, round) select id, 0, 'x', 1 from"
                                + " %1$s.lane where name = 'large'")
                        .formatted(fixture.schema()));

        engine.tick(Chore.TIMERS, 100);
        awaitTurn();
        engine.tick(Chore.TIMERS, 100);

        assertThat(misplaced(SMALL)).isZero();
        assertThat(misplaced(LARGE)).isEqualTo(10);
    }

    /** Changes settings while everything in the lane is locked. */
    private void changeWithoutMoving(Lane lane, LaneSettings settings) throws SQLException {
        hold("select from %s.execution for update".formatted(fixture.schema()));
        store.lanes().configure(lane, settings, ADA);
        open.rollback();
    }

    private void hold(String statement) throws SQLException {
        Shop.execute(open, statement);
    }

    private void submit(Lane lane, int count, String share) {
        var policy = Policy.DEFAULT.share(share);
        for (int left = count; left > 0; left -= 1000) {
            store.submissions()
                    .submit(
                            Collections.nCopies(Math.min(left, 1000), lane).stream()
                                    .map(to -> Submission.of("work", Payload.EMPTY).lane(to))
                                    .map(work -> work.policy(policy))
                                    .toList())
                    .forEach(Answer::orThrow);
        }
    }

    /** Waits until the store says that there is something to do. */
    private void awaitTurn() {
        long patience = System.nanoTime() + ms(10_000).toNanos();
        while (engine.nextDue(Duration.ofDays(1)).filter(left -> left.toMillis() <= 0).isEmpty()) {
            assertThat(System.nanoTime()).isLessThan(patience);
            Thread.onSpinWait();
        }
    }

    private long misplaced(Lane lane) {
        return fixture.number(
                ("select count(*) from %1$s.ready r join %1$s.lane l on l.id = r.lane join"
                     + " %1$s.execution e on e.id = r.id where l.name = '%2$s' and case when"
                     + " l.sharing then r.share is null else r.rank <> %1$s.place_of(e.priority,"
                     + " e.submitted, l.ageing, l.sharing) end")
                        .formatted(fixture.schema(), lane.name()));
    }

    private static Duration ms(long millis) {
        return Duration.ofMillis(millis);
    }
}
