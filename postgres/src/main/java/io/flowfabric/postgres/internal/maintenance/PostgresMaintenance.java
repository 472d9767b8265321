package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.Timer;
import io.flowfabric.core.decision.TimerDecisions;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetBreaches;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What happens because time passes.
 *
 * <p>Due timers are looked at without a lock; then the rows are locked, passing over those that
 * another transaction has locked, and what is still due is done. So many engines can do this at
 * once, nothing is done twice, and rows are always locked before their timers.
 */
public final class PostgresMaintenance implements Maintenance {
    private static final Logger log = LoggerFactory.getLogger(PostgresMaintenance.class);

    /** When to look again at what could not be read. */
    private static final Duration LATER = Duration.ofMinutes(1);

    private final PostgresContext postgres;
    private final RetentionSweep forgetting;

    public PostgresMaintenance(PostgresContext postgres) {
        this.postgres = postgres;
        this.forgetting = new RetentionSweep(postgres);
    }

    /** What one transaction did. */
    private record Done(
            int processed,
            int errors,
            Set<Integer> lanes,
            Set<Integer> meters,
            Set<SessionId> losers) {
        static final Done NOTHING = new Done(0, 0, Set.of(), Set.of(), Set.of());
    }

    @Override
    public Round tick(Chore chore, int limit) {
        return switch (chore) {
            case SESSIONS -> bury(limit);
            case TIMERS -> timers(limit);
            case RETENTION -> forgetting.round(limit);
        };
    }

    // Sessions.

    private Round bury(int limit) {
        if (!die(null)) {
            return new Round(0, 0, false);
        }
        var done = lapse(null, limit);
        postgres.db().query("bury").run();
        return new Round(done.processed, done.errors, done.processed >= limit);
    }

    /** Ends one session, and returns all that it holds. Ending again does nothing. */
    public void end(UUID session) {
        if (!die(session)) {
            return;
        }
        while (lapse(session, 1000).processed > 0) {
            // There was more than one transaction should hold.
        }
        postgres.db().query("bury").run();
    }

    /** Ends one session, or all whose time has run out. Says whether any waits for its burial. */
    private boolean die(@Nullable UUID session) {
        return postgres.db()
                .query("die")
                .set("now", postgres.now())
                .set("id", session)
                .one(row -> row.bool("unburied"));
    }

    private Done lapse(@Nullable UUID session, int limit) {
        var held =
                postgres.db()
                        .query("held_by_the_dead")
                        .set("id", session)
                        .set("limit", limit)
                        .list(row -> row.uuid("id"));
        return held.isEmpty()
                ? Done.NOTHING
                : woken(postgres.db().transaction(tx -> lapse(tx, held)));
    }

    private Done lapse(Jdbc tx, List<UUID> held) {
        // Only an operator acts on one of them while its session is dead: wait for what that
        // leaves.
        var locked = FactsReader.lock("facts", tx, postgres, held);
        var dead = deadSessions(tx, locked.values());
        var steps = new StepBatch();
        int errors = 0;
        // In order, because what was only granted takes its turn anew; each once, however often
        // it was given to the same session.
        for (UUID id : new LinkedHashSet<>(held)) {
            var row = locked.get(id);
            if (row == null) {
                continue;
            }
            if (row.facts().isEmpty()) {
                errors++;
            } else if (holder(row.facts().get()).filter(dead::contains).isPresent()) {
                steps.add(TimerDecisions.lapse(row.facts().get(), row.now()), row.facts().get());
            }
        }
        return write(tx, steps, errors);
    }

    private static Set<UUID> deadSessions(Jdbc tx, Collection<Locked> rows) {
        var sessions = new HashSet<UUID>();
        for (Locked row : rows) {
            row.facts().flatMap(PostgresMaintenance::holder).ifPresent(sessions::add);
        }
        return Set.copyOf(
                tx.query("dead_sessions")
                        .uuids("ids", sessions, id -> id)
                        .list(row -> row.uuid("id")));
    }

    /** Whose lease or grant it is. */
    private static Optional<UUID> holder(Facts facts) {
        return switch (facts.state()) {
            case Running running -> Optional.of(running.session().uuid());
            case Granted granted -> Optional.of(granted.to().uuid());
            default -> Optional.empty();
        };
    }

    // Timers.

    private Round timers(int limit) {
        int processed = 0;
        int errors = 0;
        var due =
                postgres.db()
                        .query("due_kinds")
                        .set("now", postgres.now())
                        .list(row -> RowCodec.word(Timer.class, row.text("kind")));
        for (Timer timer : due) {
            var done = timers(timer, limit - processed);
            processed += done.processed;
            errors += done.errors;
        }
        // The engine that took the report of a breach has done this, unless it died first.
        var breaches = new BudgetBreaches(postgres).cancel(limit - processed);
        processed += breaches.cancelled();
        errors += breaches.errors();
        openMeters();
        return new Round(processed, errors, processed >= limit);
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

    private Done timers(Timer timer, int limit) {
        if (limit <= 0) {
            return Done.NOTHING;
        }
        var due =
                postgres.db()
                        .query("due")
                        .set("now", postgres.now())
                        .set("kind", RowCodec.word(timer))
                        .set("limit", limit)
                        .list(row -> row.uuid("id"));
        return due.isEmpty()
                ? Done.NOTHING
                : woken(postgres.db().transaction(tx -> ring(tx, timer, due)));
    }

    private Done ring(Jdbc tx, Timer timer, List<UUID> due) {
        var locked = FactsReader.lock("free_facts", tx, postgres, due);
        var steps = new StepBatch();
        var later = new HashMap<UUID, Instant>();
        var over = new ArrayList<UUID>();
        int errors = 0;
        for (UUID id : due) {
            var row = locked.get(id);
            if (row == null) {
                continue;
            }
            if (row.facts().isEmpty()) {
                log.error(
                        "The execution {} cannot be read; its timer {} is put off",
                        row.id(),
                        timer);
                later.put(id, row.now().plus(LATER));
                errors++;
                continue;
            }
            var facts = row.facts().get();
            var at = timer.due(facts);
            if (at.isEmpty()) {
                over.add(id);
            } else if (at.get().isAfter(row.now())) {
                later.put(id, at.get());
            } else {
                steps.add(timer.ring(facts, row.now()), facts);
            }
        }
        var done = write(tx, steps, errors);
        rearm(tx, timer, later);
        over.addAll(missing(tx, due, locked));
        if (!over.isEmpty()) {
            tx.query("disarm")
                    .set("kind", RowCodec.word(timer))
                    .uuids("ids", over, id -> id)
                    .update();
        }
        return done;
    }

    /** Those whose execution has been forgotten since. */
    private static List<UUID> missing(Jdbc tx, List<UUID> due, Map<UUID, Locked> locked) {
        var unseen = due.stream().filter(id -> !locked.containsKey(id)).toList();
        return unseen.isEmpty()
                ? List.of()
                : tx.query("unknown").uuids("ids", unseen, id -> id).list(row -> row.uuid("id"));
    }

    private static void rearm(Jdbc tx, Timer timer, Map<UUID, Instant> later) {
        if (!later.isEmpty()) {
            var entries = List.copyOf(later.entrySet());
            tx.query("rearm")
                    .set("kind", RowCodec.word(timer))
                    .uuids("ids", entries, Map.Entry::getKey)
                    .longs("dues", entries, entry -> entry.getValue().toEpochMilli())
                    .update();
        }
    }

    private Done write(Jdbc tx, StepBatch steps, int errors) {
        if (steps.isEmpty()) {
            return new Done(0, errors, Set.of(), Set.of(), Set.of());
        }
        var written = steps.write(tx, postgres.now());
        var lanes = new HashSet<Integer>();
        var meters = new HashSet<Integer>();
        for (var step : written) {
            meters.addAll(step.freed());
            if (step.ready()) {
                lanes.add(step.lane());
            }
        }
        return new Done(written.size(), errors, lanes, meters, steps.losers());
    }

    private Done woken(Done done) {
        postgres.requeued(done.lanes);
        postgres.freed(done.meters);
        postgres.lost(done.losers);
        return done;
    }

    @Override
    public Optional<Duration> nextDue() {
        return postgres.db()
                .query("next_due")
                .set("now", postgres.now())
                .one(row -> Optional.ofNullable(row.longOrNull("left")).map(Duration::ofMillis));
    }
}
