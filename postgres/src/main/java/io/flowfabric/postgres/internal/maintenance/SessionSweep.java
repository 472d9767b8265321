package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.Contended;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.TimerDecisions;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.PassedOver;
import io.flowfabric.postgres.internal.step.StepBatch;
import io.flowfabric.postgres.internal.step.SweepBatches;
import io.flowfabric.postgres.internal.step.SweepBatches.Done;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * What becomes of sessions that died, and of what they held.
 *
 * <p>A death is written at once and waits for no lock. Then what the session holds is returned, and
 * when nothing is left, and no claim of it is under way that could be given more, it is buried.
 */
final class SessionSweep {
    private static final Logger log = LoggerFactory.getLogger(SessionSweep.class);
    private static final UUID FIRST = new UUID(0, 0);

    /** How often a session that ends is looked after, before that is left to the next sweep. */
    private static final int LOOKS = 3;

    private final PostgresContext postgres;
    private final SweepBatches batches;
    private final PassedOver passedOver = new PassedOver();
    private final PassedOver unreadable = new PassedOver();

    SessionSweep(PostgresContext postgres, SweepBatches batches) {
        this.postgres = postgres;
        this.batches = batches;
    }

    /** What a dead session holds, and since when it is lost. */
    private record Held(long died, UUID id) {}

    Round round(int limit) {
        var die = postgres.db().query("die").set("now", postgres.now());
        if (!unburied(die)) {
            return new Round(0, 0, false);
        }
        var done = lapse(null, limit);
        bury(null);
        return new Round(done.processed(), done.errors(), done.processed() >= limit);
    }

    /**
     * Ends one session, and returns all that it holds; says whether it held anything. Ending again
     * does nothing.
     */
    boolean end(UUID session) {
        var done = Done.NOTHING;
        // A claim that had begun before the death may take its lock behind our look, and then the
        // session is not buried. There are few of them, and a sweep comes after us.
        for (int look = 0; look < LOOKS && die(session); look++) {
            boolean claimsNothing = awaitClaims(session);
            done = done.and(lapse(session, Integer.MAX_VALUE));
            bury(session);
            if (!claimsNothing) {
                break;
            }
        }
        return done.processed() > 0;
    }

    /** Waits until no claim of a dead session is under way, or for some seconds; says whether. */
    private boolean awaitClaims(UUID session) {
        try {
            return postgres.db()
                    .transaction(
                            tx -> {
                                tx.query("patience_with_claims").run();
                                tx.query("await_claims_of").set("id", session).run();
                                return true;
                            });
        } catch (Contended frozen) {
            log.debug("A claim of {} does not end; the next sweep looks again", session, frozen);
            return false;
        }
    }

    /** Lets one session die, and says whether it waits for its burial. */
    private boolean die(UUID session) {
        return unburied(
                postgres.db().query("end_session").set("now", postgres.now()).set("id", session));
    }

    /** Lets sessions die, and says whether any waits for its burial. */
    private static boolean unburied(Query death) {
        return death.one(row -> row.bool("unburied"));
    }

    /** Returns what one dead session holds, or all of them do: no more than so much. */
    private Done lapse(@Nullable UUID session, int limit) {
        var done = Done.NOTHING;
        var last = new Held(Long.MIN_VALUE, FIRST);
        for (boolean more = true; more && done.processed() < limit; ) {
            int page = Math.min(limit - done.processed(), PostgresMaintenance.AT_ONCE);
            var held = held(session, last, page);
            // Each once, however often it was given to the same session.
            var ids = new LinkedHashSet<UUID>();
            held.forEach(lost -> ids.add(lost.id));
            done =
                    done.and(
                            batches.through(
                                    "dead sessions",
                                    passedOver.without(ids),
                                    this::lapse,
                                    passedOver::add));
            more = held.size() == page;
            last = held.isEmpty() ? last : held.getLast();
        }
        return done;
    }

    private List<Held> held(@Nullable UUID session, Held after, int limit) {
        return postgres.db()
                .query("held_by_the_dead")
                .set("id", session)
                .set("after_died", after.died)
                .set("after_id", after.id)
                .set("limit", limit)
                .list(row -> new Held(row.longValue("died"), row.uuid("id")));
    }

    private Done lapse(Jdbc tx, List<UUID> held, Map<UUID, Locked> locked) {
        var dead = deadSessions(tx, locked.values());
        var steps = new StepBatch();
        int errors = 0;
        // In order, because what was only granted takes its turn anew.
        for (UUID id : held) {
            var row = locked.get(id);
            if (row == null || row.ofNewerProgram()) {
                continue;
            }
            if (row.facts().isEmpty()) {
                if (unreadable.add(id)) {
                    log.error(
                            "The execution {} cannot be read; its lease is not returned", row.id());
                }
                errors++;
            } else if (holder(row.facts().get()).filter(dead::contains).isPresent()) {
                steps.add(TimerDecisions.lapse(row.facts().get(), row.now()), row.facts().get());
            }
        }
        return batches.write(tx, steps, errors);
    }

    private static Set<UUID> deadSessions(Jdbc tx, Collection<Locked> rows) {
        var sessions = new HashSet<UUID>();
        for (Locked row : rows) {
            row.facts().flatMap(SessionSweep::holder).ifPresent(sessions::add);
        }
        return sessions.isEmpty()
                ? sessions
                : Set.copyOf(
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

    /** Buries one session, or all of them that hold nothing any more and claim nothing. */
    private void bury(@Nullable UUID session) {
        postgres.db()
                .transaction(
                        tx -> {
                            var unburied =
                                    tx.query("lock_unburied")
                                            .set("id", session)
                                            .list(row -> row.uuid("id"));
                            return unburied.isEmpty()
                                    ? 0
                                    : tx.query("bury").uuids("ids", unburied, id -> id).update();
                        });
    }
}
