package io.flowfabric.postgres.internal.maintenance;

import static java.util.Comparator.naturalOrder;

import io.flowfabric.core.store.Maintenance;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetBreaches;
import io.flowfabric.postgres.internal.admission.LaneRankSweep;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.ready.DueFloor;
import io.flowfabric.postgres.internal.settle.FlowSweep;
import io.flowfabric.postgres.internal.step.SweepBatches;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;

/** What happens because time passes. */
public final class PostgresMaintenance implements Maintenance {
    /** The most executions in one transaction of a sweep. */
    static final int AT_ONCE = 1000;

    private final PostgresContext postgres;
    private final SessionSweep sessions;
    private final TimerSweep timers;
    private final RetentionSweep retention;
    private final LaneRankSweep ranks;
    private final BudgetBreaches breaches;
    private final FlowSweep flows;

    /** Of what is due besides timers: meters that open, sessions that expire. */
    private final DueFloor others = new DueFloor();

    public PostgresMaintenance(PostgresContext postgres) {
        this.postgres = postgres;
        var batches = new SweepBatches(postgres);
        this.sessions = new SessionSweep(postgres, batches);
        this.timers = new TimerSweep(postgres, batches);
        this.retention = new RetentionSweep(postgres);
        this.ranks = new LaneRankSweep(postgres);
        this.breaches = new BudgetBreaches(postgres);
        this.flows = new FlowSweep(postgres);
    }

    @Override
    public Round tick(Chore chore, int limit) {
        return switch (chore) {
            case SESSIONS -> sessions(limit);
            case TIMERS -> timers(limit);
            case RETENTION -> retention.round(limit);
        };
    }

    /** Ends one session, and returns all that it holds. Ending again does nothing. */
    public void end(UUID session) {
        if (sessions.end(session)) {
            var unused = flows.round();
        }
    }

    private Round sessions(int limit) {
        var round = sessions.round(limit);
        int errors = round.processed() > 0 ? flows.round() : 0;
        return new Round(round.processed(), round.errors() + errors, round.more());
    }

    private Round timers(int limit) {
        var rung = timers.round(limit);
        var done = rung.done();
        openMeters();
        // The engine that took the report of a breach has done this, unless it died first.
        var cancelled = breaches.cancel(limit - done.processed());
        // The call that changed a lane has done this, unless there was too much, or work came late.
        ranks.round();
        int processed = done.processed() + cancelled.processed();
        int unsettled = processed > 0 || rung.unsettled() ? flows.round() : 0;
        return new Round(
                processed, done.errors() + cancelled.errors() + unsettled, processed >= limit);
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
    public boolean takeTurn(Duty duty, Duration every) {
        return postgres.db()
                        .query("take_turn")
                        .set("now", postgres.now())
                        .set("duty", RowCodec.word(duty))
                        .set("every", every.toMillis())
                        .update()
                > 0;
    }

    @Override
    public Optional<Duration> nextDue(Duration within) {
        var floor = postgres.timers();
        var first = floor.look();
        var rest = others.look();
        var due =
                postgres.db()
                        .query("next_due")
                        .set("now", postgres.now())
                        .set("timers_from", first.from())
                        .set("others_from", rest.from())
                        .set("within", within.toMillis())
                        .one(
                                row -> {
                                    long now = row.longValue("now");
                                    floor.saw(first, now, row.longOrNull("first_timer"));
                                    others.saw(rest, now, row.longOrNull("first_other"));
                                    return Optional.ofNullable(row.longOrNull("left"))
                                            .map(Duration::ofMillis);
                                });
        return Stream.concat(due.stream(), ranks.nextDue().stream()).min(naturalOrder());
    }
}
