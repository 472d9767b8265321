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
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.ExecutionBatches;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.claim.TargetedClaims;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.Remnants;
import io.flowfabric.postgres.internal.step.Remnants.Weight;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** What operators may do: the rows are locked, the core decides, the changes are written. */
public final class PostgresOperations implements Operations {
    private final PostgresContext postgres;
    private final Remnants remnants;

    public PostgresOperations(PostgresContext postgres) {
        this.postgres = postgres;
        this.remnants = new Remnants(postgres);
    }

    /**
     * The answers to a batch, the lanes in which work became ready, the meters with room, the
     * sessions that lost work, the executions with streams, and the earliest deadline that was set.
     */
    private record Acted(
            Map<UUID, Answer<ExecutionState>> answers,
            ReadyLanes lanes,
            Set<Integer> meters,
            Set<SessionId> losers,
            Set<UUID> streamed,
            Optional<Long> deadline) {}

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
                    acted.deadline.ifPresent(postgres.timers()::set);
                    postgres.requeued(acted.lanes);
                    postgres.freed(acted.meters);
                    postgres.lost(acted.losers);
                    postgres.streamed(acted.streamed);
                    return acted.answers;
                });
    }

    private Acted act(Jdbc tx, List<OperatorCommand> acts, Attribution by) {
        var locked =
                FactsReader.lock(
                        "facts",
                        tx,
                        postgres,
                        acts.stream().map(act -> act.execution().uuid()).toList());
        var answers = new HashMap<UUID, Answer<ExecutionState>>();
        var steps = new StepBatch();
        for (OperatorCommand act : acts) {
            var id = act.execution();
            try {
                var row = FactsReader.readable(id, locked.get(id.uuid()));
                var facts = row.facts().orElseThrow();
                var change = OperatorDecisions.act(act, by, facts, row.now());
                change.ifPresent(decided -> steps.add(decided, facts));
                answers.put(
                        id.uuid(), Answer.done(change.map(Change::after).orElse(facts.state())));
            } catch (FlowFabricException refusal) {
                answers.put(id.uuid(), Answer.refused(refusal));
            }
        }
        var lanes = new ReadyLanes();
        var meters = new HashSet<Integer>();
        for (var step : steps.write(tx, postgres.now())) {
            meters.addAll(step.freed());
            if (step.ready()) {
                lanes.add(step.lane(), step.id());
            }
        }
        return new Acted(
                answers, lanes, meters, steps.losers(), steps.streamed(), steps.earliestDeadline());
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
