package io.flowfabric.valkey.internal;

import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.decision.ReclaimDecisions;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.Situation;
import io.flowfabric.valkey.internal.record.SessionFields;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Grants one execution that lost its lease, so that a chosen worker goes on with it. */
final class ReclaimGrants {
    /** So often others may come in between. */
    private static final int ATTEMPTS = 32;

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final ValkeyContext valkey;
    private final ExecutionReads reads;

    ReclaimGrants(ValkeyContext valkey) {
        this.valkey = valkey;
        this.reads = new ExecutionReads(valkey);
    }

    /** What was granted. */
    record Given(long epoch, Instant until, Lane lane) {}

    /** An execution, and what decides whether it can be granted. */
    private record Found(StoredExecution stored, Surroundings around) {}

    Given grant(ExecutionId execution, SessionId session, Duration ttl) {
        var worker = worker(session);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            var found =
                    reads.each(List.of(execution), StoredExecution.VIEWED, true, Found::new)
                            .getFirst()
                            .orThrow();
            var given = granted(found, session).or(() -> grant(found, worker, ttl));
            if (given.isPresent()) {
                return given.get();
            }
        }
        throw new Contended("the execution " + execution, RETRY_AFTER);
    }

    private Session worker(SessionId session) {
        var home = home(session);
        var told = valkey.read("workers", home, out -> out.list(1).uuid(session.uuid()));
        return told.answer()
                .at(0)
                .optional(entry -> SessionFields.read(session, entry.at(0).bytes()))
                .filter(record -> record.isAlive(told.now()))
                .map(SessionFields::session)
                .orElseThrow(() -> ValkeySessions.unknown(session));
    }

    private Partition home(SessionId session) {
        return valkey.home(session).orElseThrow(() -> ValkeySessions.unknown(session));
    }

    /** What is granted to this session stays as it is. */
    private static Optional<Given> granted(Found found, SessionId session) {
        var row = found.stored.row();
        return row.state(found.stored.words()) instanceof Granted granted
                        && granted.to().equals(session)
                        && granted.until().isAfter(found.around.now())
                ? Optional.of(
                        new Given(row.epoch(), granted.until(), found.stored.submission().lane()))
                : Optional.empty();
    }

    /** Grants it; nothing when it has to be decided anew. */
    private Optional<Given> grant(Found found, Session worker, Duration ttl) {
        var row = found.stored.row();
        var around = found.around;
        var submission = found.stored.submission();
        var policy = submission.policy();
        var facts = row.facts(policy, found.stored.words());
        // Only the lane of what is ready matters, and is known.
        boolean ready = row.situation() == Situation.READY;
        boolean gives = !ready || around.lane(row.lane()).settings().state().gives();
        ReclaimDecisions.mustBeReclaimable(
                facts, around.now(), submission.lane(), gives, submission.kind(), worker);
        var lane = around.lane(row.lane());
        OperatorDecisions.mustBeAdmitted(
                row.id(),
                around.shortage(lane, policy.budgets()),
                around.quotas(lane, policy.quotas()));
        var told =
                valkey.call(
                                "grant",
                                valkey.home(row.id()),
                                out ->
                                        out.list(4)
                                                .uuid(row.uuid())
                                                .bytes(row.packed())
                                                .uuid(worker.id().uuid())
                                                .duration(ttl))
                        .answer();
        return switch (told.at(0).text()) {
            case "dead" -> throw ValkeySessions.unknown(worker.id());
            case "again" -> Optional.empty();
            default ->
                    Optional.of(
                            new Given(told.at(1).number(), told.at(2).moment(), submission.lane()));
        };
    }
}
