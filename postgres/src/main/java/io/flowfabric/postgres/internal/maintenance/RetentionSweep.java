package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.Contended;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.feed.Summaries;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.step.Remnants;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;

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

    /** How often less is tried at once: in the end one execution, and few rows. */
    private static final int MOST_HALVINGS = 16;

    /** After so many statements that were not cut off, more is tried at once. */
    private static final int CALM = 20;

    private final PostgresContext postgres;
    private final GateSweep gates;
    private final Remnants remnants;
    private volatile Pace pace = new Pace(0, 0);
    private volatile long besides = System.nanoTime() - 2 * BESIDES_EVERY;

    public RetentionSweep(PostgresContext postgres) {
        this.postgres = postgres;
        this.gates = new GateSweep(postgres);
        this.remnants = new Remnants(postgres);
    }

    public Round round(int limit) {
        var failures = new Failed();
        int most = pace.of(limit);
        int room = pace.of(Remnants.ROOM);
        var executions = failures.attempt(() -> forget(most, room), Forgotten.NOTHING);
        pace = pace.after(executions);
        boolean more = executions.seen >= most;
        int days = 0;
        if (!more || System.nanoTime() - besides > BESIDES_EVERY) {
            besides = System.nanoTime();
            days = failures.attempt(() -> dropDays(limit), 0);
            failures.attempt(this::forgetSessions, 0);
            failures.attempt(() -> forgetFlows(Math.min(limit, FLOWS_AT_ONCE)), 0);
            failures.attempt(() -> removeSome("forget_shares"), 0);
            failures.attempt(() -> removeSome("add_up"), 0);
            failures.attempt(this::tendGates, 0);
        }
        failures.report();
        int errors = executions.cutOff ? 1 : 0;
        return new Round(executions.gone + days, errors, more || errors > 0);
    }

    /**
     * What came of one statement.
     *
     * @param seen how many executions it looked at
     * @param gone how many there are less, or have less behind them
     * @param cutOff whether it took too long, so that nothing of it was done
     */
    private record Forgotten(int seen, int gone, boolean cutOff) {
        static final Forgotten NOTHING = new Forgotten(0, 0, false);
    }

    private Forgotten forget(int limit, int room) {
        record Found(Forgotten forgotten, @Nullable UUID large, @Nullable Long changed) {}
        try {
            var found =
                    postgres.db()
                            .query("forget")
                            .set("now", postgres.now())
                            .set("limit", limit)
                            .set("room", room)
                            .set("retention", NamespaceSettings.DEFAULT.retention().toMillis())
                            .one(
                                    row ->
                                            new Found(
                                                    new Forgotten(
                                                            row.intValue("seen"),
                                                            row.intValue("forgotten"),
                                                            false),
                                                    row.uuidOrNull("large"),
                                                    row.longOrNull("changed")));
            var forgotten = found.forgotten;
            boolean thinned =
                    found.large != null
                            && found.changed != null
                            && remnants.thin(found.large, found.changed, room);
            return thinned ? new Forgotten(forgotten.seen, forgotten.gone + 1, false) : forgotten;
        } catch (StoreFailure e) {
            if (!Failures.cutOff(e)) {
                throw e;
            }
            log.warn(
                    "Forgetting up to {} executions at once took too long; fewer are tried from now"
                            + " on",
                    limit,
                    e);
            return new Forgotten(0, 0, true);
        }
    }

    /**
     * How much is tried at once: less after a statement that was cut off, and more again when many
     * were not.
     *
     * @param calm how many were not cut off, one after the other
     */
    private record Pace(int halvings, int calm) {
        int of(int most) {
            return Math.max(1, most >> halvings);
        }

        Pace after(Forgotten last) {
            if (last.cutOff) {
                return new Pace(Math.min(halvings + 1, MOST_HALVINGS), 0);
            }
            return calm + 1 >= CALM
                    ? new Pace(Math.max(0, halvings - 1), 0)
                    : new Pace(halvings, calm + 1);
        }
    }

    /** The duties of a round: none is left undone because another one failed. */
    private static final class Failed {
        private @Nullable RuntimeException first;

        <T> T attempt(Supplier<T> duty, T otherwise) {
            try {
                return duty.get();
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else {
                    first.addSuppressed(e);
                }
                return otherwise;
            }
        }

        void report() {
            if (first != null) {
                throw first;
            }
        }
    }

    private int forgetSessions() {
        return postgres.db()
                .query("forget_sessions")
                .set("before", postgres.time() - SESSION_RETENTION.toMillis())
                .update();
    }

    private int removeSome(String statement) {
        return postgres.db().query(statement).set("limit", SUMMANDS).update();
    }

    private int tendGates() {
        gates.round();
        return 0;
    }

    private int forgetFlows(int most) {
        return postgres.db()
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
     * Drops the days that are over for long enough, and says how many.
     *
     * <p>A table that has events of the day after, too, as those that were written around midnight,
     * is emptied a day later. What is still there after that is deleted one by one.
     */
    private int dropDays(int limit) {
        long before = postgres.time() - EVENT_RETENTION.toMillis();
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
