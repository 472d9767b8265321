package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.Contended;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetBreaches;
import io.flowfabric.postgres.internal.admission.LaneRanks;
import io.flowfabric.postgres.internal.ready.DueFloor;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** What happens because time passes. */
public final class PostgresMaintenance implements Maintenance {
    private static final Logger log = LoggerFactory.getLogger(PostgresMaintenance.class);

    /** The most executions in one transaction of a sweep. */
    static final int AT_ONCE = 1000;

    private final PostgresContext postgres;
    private final SessionSweep sessions;
    private final TimerSweep timers;
    private final RetentionSweep retention;
    private final LaneRanks ranks;

    /** Of what is due besides timers: meters that open, sessions that expire. */
    private final DueFloor others = new DueFloor();

    public PostgresMaintenance(PostgresContext postgres) {
        this.postgres = postgres;
        var batches = new SweepBatches(postgres);
        this.sessions = new SessionSweep(postgres, batches);
        this.timers = new TimerSweep(postgres, batches);
        this.retention = new RetentionSweep(postgres);
        this.ranks = new LaneRanks(postgres);
    }

    @Override
    public Round tick(Chore chore, int limit) {
        return switch (chore) {
            case SESSIONS -> sessions.round(limit);
            case TIMERS -> timers(limit);
            case RETENTION -> retention.round(limit);
        };
    }

    /** Ends one session, and returns all that it holds. Ending again does nothing. */
    public void end(UUID session) {
        sessions.end(session);
    }

    private Round timers(int limit) {
        var done = timers.round(limit);
        openMeters();
        rankLanes();
        var breaches = breaches(limit - done.processed());
        int processed = done.processed() + breaches.cancelled();
        return new Round(processed, done.errors() + breaches.errors(), processed >= limit);
    }

    /** Whoever changed a lane has done this, unless there was too much, or something came late. */
    private void rankLanes() {
        try {
            ranks.sweep();
        } catch (Contended held) {
            log.debug("What waits in a lane that was changed is held by another; later", held);
        }
    }

    /** The engine that took the report of a breach has done this, unless it died first. */
    private BudgetBreaches.Round breaches(int limit) {
        try {
            return new BudgetBreaches(postgres).cancel(limit);
        } catch (Contended held) {
            log.debug("What draws on a budget that is used up is held by another; later", held);
            return BudgetBreaches.Round.NOTHING;
        }
    }

    /** Wakes claims that wait for a window to pass, or for a period to end. */
    private void openMeters() {
        postgres.freed(
                postgres.db()
                        .query("open_meters")
                        .set("now", postgres.now())
                        .list(row -> row.intValue("id")));
        postgres.freed(
                postgres.db()
                        .query("reset_due")
                        .set("now", postgres.now())
                        .list(row -> row.intValue("id")));
    }

    @Override
    public Optional<Duration> nextDue(Duration within) {
        var timers = postgres.timers().look();
        var rest = others.look();
        return postgres.db()
                .query("next_due")
                .set("now", postgres.now())
                .set("timers_from", timers.from())
                .set("others_from", rest.from())
                .set("within", within.toMillis())
                .one(
                        row -> {
                            long now = row.longValue("now");
                            postgres.timers().saw(timers, now, row.longOrNull("first_timer"));
                            others.saw(rest, now, row.longOrNull("first_other"));
                            return Optional.ofNullable(row.longOrNull("left"))
                                    .map(Duration::ofMillis);
                        });
    }
}
