package io.flowfabric.postgres.internal.operate;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.ExecutionBatches;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.claim.TargetedClaims;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowAftermath;
import io.flowfabric.postgres.internal.settle.MemberActs;
import io.flowfabric.postgres.internal.settle.MemberReplays;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.Remnants;
import io.flowfabric.postgres.internal.step.Remnants.Weight;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** What operators may do: the rows are locked, the core decides, the changes are written. */
public final class PostgresOperations implements Operations {
    private final PostgresContext postgres;
    private final MemberActs members;
    private final MemberReplays replays;
    private final Remnants remnants;

    public PostgresOperations(PostgresContext postgres) {
        this.postgres = postgres;
        this.members = new MemberActs(postgres);
        this.replays = new MemberReplays(postgres);
        this.remnants = new Remnants(postgres);
    }

    /** The answers to a batch, and whom it concerns. */
    private record Acted(Map<UUID, Answer<ExecutionState>> answers, FlowAftermath after) {}

    @Override
    public List<Answer<ExecutionState>> act(List<OperatorCommand> acts, Attribution by) {
        by.mustBeOperator();
        return ExecutionBatches.answer(
                "acts",
                acts,
                act -> act.execution().uuid(),
                OperatorCommand::bytes,
                piece -> {
                    var acted = postgres.db().transaction(tx -> act(tx, piece, by));
                    members.finish(acted.after);
                    return acted.answers;
                });
    }

    private Acted act(Jdbc tx, List<OperatorCommand> acts, Attribution by) {
        var acted = new Acted(new HashMap<>(), FlowAftermath.anywhere());
        var flows = members.lock(tx, ids(acts));
        if (flows.isEmpty() || acts.stream().noneMatch(OperatorCommand.Replay.class::isInstance)) {
            act(tx, acts, by, acted);
        } else {
            // All rows are locked in the order of their ids, before the first is changed.
            lock(tx, acts);
            inTurn(tx, acts, by, acted);
        }
        members.settle(tx, flows, acted.after);
        return acted;
    }

    /** What a replay of a member reopens depends on what was done before it, and changes others. */
    private void inTurn(Jdbc tx, List<OperatorCommand> acts, Attribution by, Acted acted) {
        var before = new ArrayList<OperatorCommand>();
        for (OperatorCommand act : acts) {
            if (act instanceof OperatorCommand.Replay) {
                act(tx, before, by, acted);
                before.clear();
                act(tx, List.of(act), by, acted);
            } else {
                before.add(act);
            }
        }
        act(tx, before, by, acted);
    }

    private void act(Jdbc tx, List<OperatorCommand> acts, Attribution by, Acted acted) {
        if (acts.isEmpty()) {
            return;
        }
        var locked = lock(tx, acts);
        var steps = new StepBatch();
        for (OperatorCommand act : acts) {
            var id = act.execution();
            try {
                var row = FactsReader.readable(id, locked.get(id.uuid()));
                var facts = row.facts().orElseThrow();
                var change = OperatorDecisions.act(act, by, facts, row.now());
                var state = change.map(Change::after).orElse(facts.state());
                if (change.isPresent()) {
                    state = take(tx, row, change.get(), steps, acted);
                }
                acted.answers.put(id.uuid(), Answer.done(state));
            } catch (FlowFabricException refusal) {
                acted.answers.put(id.uuid(), Answer.refused(refusal));
            }
        }
        acted.after.add(steps, steps.write(tx, postgres.now()));
    }

    /** A member that is replayed is not done again alone. */
    private ExecutionState take(
            Jdbc tx, FactsReader.Locked row, Change change, StepBatch steps, Acted acted) {
        var facts = row.facts().orElseThrow();
        if (row.flow().isPresent() && change.transition() == Transition.REPLAY) {
            return replays.replay(tx, row.flow().get(), facts, change, acted.after);
        }
        steps.add(change, facts);
        return change.after();
    }

    private Map<UUID, FactsReader.Locked> lock(Jdbc tx, List<OperatorCommand> acts) {
        return FactsReader.lock("facts", tx, postgres, ids(acts));
    }

    private static List<UUID> ids(List<OperatorCommand> acts) {
        return acts.stream().map(act -> act.execution().uuid()).toList();
    }

    @Override
    public Lease claim(ExecutionId execution, SessionId session, Attribution by) {
        by.mustBeOperator();
        return new TargetedClaims(postgres).claim(execution, session, by);
    }

    @Override
    public List<Answer<ExecutionId>> erase(List<ExecutionId> executions, Attribution by) {
        by.mustBeOperator();
        Limit.BATCH.checkCount("executions", executions.size());
        var weights = remnants.weights(executions.stream().map(ExecutionId::uuid).toList());
        return ExecutionBatches.answer(
                "executions",
                executions,
                ExecutionId::uuid,
                id -> share(weights.get(id.uuid())),
                piece -> erase(piece, weights, by));
    }

    /** How much of one statement an execution needs, as the bytes of a batch are counted. */
    private static long share(@Nullable Weight weight) {
        return weight == null ? 0 : weight.rows() * Chunks.BYTES / Remnants.ROOM;
    }

    /** What takes the server too long is tried in parts. */
    private Map<UUID, Answer<ExecutionId>> erase(
            List<ExecutionId> piece, Map<UUID, Weight> weights, Attribution by) {
        int size = piece.size();
        var alone = size == 1 ? weights.get(piece.getFirst().uuid()) : null;
        if (alone != null && alone.rows() > Remnants.ROOM) {
            remnants.thinOut(alone.id(), alone.changed());
        }
        try {
            return postgres.db().transaction(tx -> erase(tx, piece, by));
        } catch (StoreFailure e) {
            if (!Failures.cutOff(e) || (size == 1 && alone == null)) {
                throw e;
            }
        }
        if (alone != null) {
            remnants.thinOut(alone.id(), alone.changed());
            return postgres.db().transaction(tx -> erase(tx, piece, by));
        }
        var answers = new HashMap<>(erase(piece.subList(0, size / 2), weights, by));
        answers.putAll(erase(piece.subList(size / 2, size), weights, by));
        return answers;
    }

    private Map<UUID, Answer<ExecutionId>> erase(
            Jdbc tx, List<ExecutionId> executions, Attribution by) {
        var locked =
                FactsReader.lock(
                        "facts", tx, postgres, executions.stream().map(ExecutionId::uuid).toList());
        var answers = new HashMap<UUID, Answer<ExecutionId>>();
        var ended = new ArrayList<UUID>();
        for (ExecutionId id : executions) {
            try {
                var row = FactsReader.readable(id, locked.get(id.uuid()));
                OperatorDecisions.mustBeErasable(row.facts().orElseThrow());
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
