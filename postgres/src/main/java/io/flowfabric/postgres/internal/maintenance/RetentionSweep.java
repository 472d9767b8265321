package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.Contended;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.feed.Summaries;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;

/** What is done with what has been kept long enough. */
public final class RetentionSweep {
    private static final Logger log = LoggerFactory.getLogger(RetentionSweep.class);

    private static final long DAY = Duration.ofDays(1).toMillis();

    /** How long events are kept at least. */
    private static final Duration EVENT_RETENTION = Duration.ofDays(7);

    /** How long dead sessions are known: longer than the last event that names them. */
    private static final Duration SESSION_RETENTION = EVENT_RETENTION.plusDays(3);

    /** How many changes of the tally are added up at once. */
    private static final int SUMMANDS = 100_000;

    /** A flow may have many members and edges: one commit should not hold everybody up. */
    private static final int FLOWS_AT_ONCE = 100;

    /** However many executions wait to be forgotten, everything else is looked at so often. */
    private static final long BESIDES_EVERY = Duration.ofMinutes(1).toNanos();

    private final PostgresContext postgres;
    private final GateSweep gates;
    private volatile long besides = System.nanoTime() - 2 * BESIDES_EVERY;

    public RetentionSweep(PostgresContext postgres) {
        this.postgres = postgres;
        this.gates = new GateSweep(postgres);
    }

    public Round round(int limit) {
        record Forgotten(int seen, int gone) {}
        var executions =
                postgres.db()
                        .query("forget")
                        .set("now", postgres.now())
                        .set("limit", limit)
                        .set("retention", NamespaceSettings.DEFAULT.retention().toMillis())
                        .one(row -> new Forgotten(row.intValue("seen"), row.intValue("forgotten")));
        boolean more = executions.seen >= limit;
        int days = 0;
        if (!more || System.nanoTime() - besides > BESIDES_EVERY) {
            besides = System.nanoTime();
            long now = postgres.time();
            days = dropDays(now - EVENT_RETENTION.toMillis(), limit);
            postgres.db()
                    .query("forget_sessions")
                    .set("before", now - SESSION_RETENTION.toMillis())
                    .update();
            forgetFlows(Math.min(limit, FLOWS_AT_ONCE));
            postgres.db().query("forget_shares").set("limit", SUMMANDS).update();
            postgres.db().query("add_up").set("limit", SUMMANDS).update();
            gates.round();
        }
        return new Round(executions.gone + days, 0, more);
    }

    private void forgetFlows(int most) {
        postgres.db()
                .query("forget_flows")
                .set("now", postgres.now())
                .set("limit", most)
                .set("retention", NamespaceSettings.DEFAULT.retention().toMillis())
                .update();
    }

    /**
     * A day of the log that has something too old, as one of the tables has it.
     *
     * @param mixed whether it has something else, too
     */
    private record Day(int number, boolean mixed) {}

    /**
     * Drops the days that were over before a moment, and says how many.
     *
     * <p>A table that has events of the day after, too, as those that were written around midnight,
     * is emptied a day later. What is still there after that is deleted one by one.
     */
    private int dropDays(long before, int limit) {
        long oldestKept = Math.floorDiv(before, DAY) * DAY;
        new Summaries(postgres).makeAll();
        List<Day> days =
                postgres.db()
                        .query("aged_days")
                        .set("before", oldestKept)
                        .list(row -> new Day(row.intValue("day"), row.bool("mixed")));
        int emptied = 0;
        int mixed = 0;
        int thinned = 0;
        for (Day day : days) {
            if (day.mixed) {
                mixed++;
                thinned += thin(day, oldestKept - DAY, limit);
            } else {
                emptied += empty(day, oldestKept);
            }
        }
        if (emptied + mixed == days.size() && thinned == 0) {
            long nothingBefore = mixed == 0 ? oldestKept : oldestKept - DAY;
            postgres.db().query("forget_tags").set("before", nothingBefore).update();
        }
        return emptied + thinned;
    }

    private int empty(Day day, long oldestKept) {
        try {
            return postgres.db()
                    .transaction(
                            tx -> {
                                tx.query("patience").run();
                                var empty =
                                        tx.query("empty_day")
                                                .set("day", day.number)
                                                .set("before", oldestKept);
                                return drop(tx, empty);
                            });
        } catch (Contended e) {
            log.info("The events of a day that is to be dropped are being read; later, then");
            return 0;
        }
    }

    private int thin(Day day, long before, int limit) {
        return postgres.db()
                .transaction(
                        tx ->
                                drop(
                                        tx,
                                        tx.query("forget_events")
                                                .set("day", day.number)
                                                .set("before", before)
                                                .set("limit", limit)));
    }

    /** Runs a statement that drops events, notes up to which, and says it. */
    private static int drop(Jdbc tx, Query statement) {
        tx.query("lock_event_log").one(row -> row.longValue("dropped"));
        return statement.one(row -> row.longOrNull("last") == null ? 0 : 1);
    }
}
