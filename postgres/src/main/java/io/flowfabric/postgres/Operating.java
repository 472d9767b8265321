package io.flowfabric.postgres;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.contract.Act;
import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.LaneView;
import io.flowfabric.core.contract.Lease;
import io.flowfabric.core.contract.Operations;
import io.flowfabric.core.contract.QuotaView;
import io.flowfabric.core.decision.ByOperator;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.FactsReader.Locked;
import io.flowfabric.postgres.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What operators may do: the rows are locked, the core decides, the changes are written. */
final class Operating implements Operations {
    private final Postgres postgres;

    Operating(Postgres postgres) {
        this.postgres = postgres;
    }

    /** The answers to a batch, the lanes in which work became ready, and the meters with room. */
    private record Acted(
            Map<UUID, Answer<ExecutionState>> answers, Set<Integer> lanes, Set<Integer> meters) {}

    @Override
    public List<Answer<ExecutionState>> act(List<Act> acts, By by) {
        return Batches.answer(
                "acts",
                acts,
                act -> act.execution().uuid(),
                piece -> {
                    var acted = postgres.db().transaction(tx -> act(tx, piece, by));
                    postgres.requeued(acted.lanes);
                    postgres.freed(acted.meters);
                    return acted.answers;
                });
    }

    private Acted act(Jdbc tx, List<Act> acts, By by) {
        var locked =
                FactsReader.lock(
                        "facts",
                        tx,
                        postgres,
                        acts.stream().map(act -> act.execution().uuid()).toList());
        var answers = new HashMap<UUID, Answer<ExecutionState>>();
        var steps = new Steps();
        for (Act act : acts) {
            var id = act.execution();
            try {
                var row = readable(id, locked.get(id.uuid()));
                var facts = row.facts().orElseThrow();
                var change = ByOperator.act(act, by, facts, row.now());
                change.ifPresent(
                        decided -> steps.add(decided, facts, deadline(decided, facts, row)));
                answers.put(
                        id.uuid(), Answer.done(change.map(Change::after).orElse(facts.state())));
            } catch (FlowFabricException refusal) {
                answers.put(id.uuid(), Answer.refused(refusal));
            }
        }
        var lanes = new HashSet<Integer>();
        var meters = new HashSet<Integer>();
        if (!steps.isEmpty()) {
            for (var step : steps.write(tx, postgres.now())) {
                meters.addAll(step.freed());
                if (step.ready()) {
                    lanes.add(step.lane());
                }
            }
        }
        return new Acted(answers, lanes, meters);
    }

    private static Optional<Instant> deadline(Change change, Facts facts, Locked row) {
        return change.transition() == Transition.REPLAY
                ? facts.policy().deadlineAfterReplay(row.now())
                : row.deadline();
    }

    private static Locked readable(ExecutionId id, @Nullable Locked row) {
        if (row == null || !row.id().equals(id)) {
            throw new NotFound("execution", id.toString());
        }
        if (row.facts().isEmpty()) {
            throw unreadable(id);
        }
        return row;
    }

    static StoreFailure unreadable(ExecutionId id) {
        return new StoreFailure(
                "The execution %s cannot be read by this version.".formatted(id),
                false,
                new IllegalStateException("its terms, gate or submission is missing or damaged"));
    }

    @Override
    public Lease claim(ExecutionId execution, SessionId session, By by) {
        return postgres.db().transaction(tx -> claim(tx, execution, session, by));
    }

    private Lease claim(Jdbc tx, ExecutionId execution, SessionId session, By by) {
        // Before the row, as claims do: what is leased to a session that was just buried would
        // never come back.
        var held =
                tx.query("hold_session")
                        .set("now", postgres.now())
                        .set("id", session.uuid())
                        .optional(row -> row.uuid("id"));
        if (held.isEmpty()) {
            throw new NotFound("session", session.toString());
        }
        var locked = FactsReader.lock("facts", tx, postgres, List.of(execution.uuid()));
        var row = readable(execution, locked.get(execution.uuid()));
        var facts = row.facts().orElseThrow();
        if (!(facts.state() instanceof ExecutionState.Running running
                && running.session().equals(session))) {
            var late = row.deadline().filter(at -> !at.isAfter(row.now())).isPresent();
            ByOperator.mustBeClaimable(facts, late);
            record Admission(LaneView lane, List<Integer> meters) {}
            var admission =
                    tx.query("admission")
                            .set("id", execution.uuid())
                            .one(
                                    a ->
                                            new Admission(
                                                    LaneKeeping.view(a),
                                                    List.of(a.ints("meters"))));
            ByOperator.mustHaveRoom(execution, lockedQuotas(tx, admission.meters));
            ByOperator.mustAfford(execution, shortage(admission.lane, facts));
            tx.query("claim_one")
                    .set("now", postgres.now())
                    .set("id", execution.uuid())
                    .set("session", session.uuid())
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .one(claimed -> claimed.longValue("epoch"));
        }
        var reader = new LeaseReader();
        tx.query("lease")
                .set("id", execution.uuid())
                .set("part", execution.partition().number())
                .set("session", session.uuid())
                .each(reader::add);
        return reader.read(tx, postgres.catalog(), session).leases().getFirst();
    }

    /** What its budgets, whose meters are locked by now, leave nothing for. */
    private Optional<String> shortage(LaneView lane, Facts facts) {
        var namespace = lane.lane().namespace();
        return lane.settings().drawsOn(facts.policy().budgets()).stream()
                .flatMap(use -> Obstacles.shortOf(postgres, namespace, use).stream())
                .findFirst();
    }

    /** How the quotas of an execution stand, until the transaction is over. */
    private Collection<QuotaView> lockedQuotas(Jdbc tx, List<Integer> meters) {
        if (meters.isEmpty()) {
            return List.of();
        }
        tx.query("lock_meters").ints("ids", meters, meter -> meter).list(m -> m.intValue("id"));
        return QuotaKeeping.views(postgres, tx, meters).values();
    }

    @Override
    public List<Answer<ExecutionId>> erase(List<ExecutionId> executions, By by) {
        return Batches.answer(
                "executions",
                executions,
                ExecutionId::uuid,
                piece -> postgres.db().transaction(tx -> erase(tx, piece, by)));
    }

    private Map<UUID, Answer<ExecutionId>> erase(Jdbc tx, List<ExecutionId> executions, By by) {
        var locked =
                FactsReader.lock(
                        "facts", tx, postgres, executions.stream().map(ExecutionId::uuid).toList());
        var answers = new HashMap<UUID, Answer<ExecutionId>>();
        var ended = new ArrayList<UUID>();
        for (ExecutionId id : executions) {
            try {
                var row = readable(id, locked.get(id.uuid()));
                ByOperator.mustBeErasable(row.facts().orElseThrow());
                ended.add(id.uuid());
                answers.put(id.uuid(), Answer.done(id));
            } catch (FlowFabricException refusal) {
                answers.put(id.uuid(), Answer.refused(refusal));
            }
        }
        if (!ended.isEmpty()) {
            tx.query("erase")
                    .set("now", postgres.now())
                    .uuids("ids", ended, id -> id)
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .update();
        }
        return answers;
    }
}
