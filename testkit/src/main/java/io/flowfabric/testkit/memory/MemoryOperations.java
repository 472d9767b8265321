package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.OperatorDecisions;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.Transition;

import java.util.List;
import java.util.Optional;

/** What operators may do, by name and with a reason. */
final class MemoryOperations implements Operations {
    private final MemoryState world;

    MemoryOperations(MemoryState world) {
        this.world = world;
    }

    @Override
    public List<Answer<ExecutionState>> act(List<OperatorCommand> acts, Attribution by) {
        by.mustBeOperator();
        return ItemAnswers.each(world, "acts", acts, act -> act(act, by));
    }

    private ExecutionState act(OperatorCommand act, Attribution by) {
        var row = world.executions.find(act.execution());
        OperatorDecisions.act(act, by, row.facts(), world.now())
                .ifPresent(change -> take(row, change));
        return row.state;
    }

    /** A member that is replayed is not done again alone. */
    private void take(MemoryExecution row, Change change) {
        var replayed = row.member.filter(place -> change.transition() == Transition.REPLAY);
        if (replayed.isPresent()) {
            world.flows.replay(row, replayed.get(), change);
        } else {
            world.steps.apply(row, change);
        }
    }

    @Override
    public Lease claim(ExecutionId execution, SessionId session, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var living = world.sessions.alive(session);
                    var row = world.executions.find(execution);
                    var held = row.lease.filter(lease -> lease.session().equals(session));
                    if (held.isPresent()) {
                        return held.get();
                    }
                    OperatorDecisions.mustBeClaimable(
                            row.facts(), world.now(), row.lane(), living.session);
                    OperatorDecisions.mustBeAdmitted(
                            row.id(),
                            world.purses.obstacle(row),
                            world.meters.views(row, world.now()));
                    return world.steps.lease(row, living, Optional.of(by));
                });
    }

    @Override
    public List<Answer<ExecutionId>> erase(List<ExecutionId> executions, Attribution by) {
        by.mustBeOperator();
        return ItemAnswers.each(world, "executions", executions, id -> erase(id, by));
    }

    private ExecutionId erase(ExecutionId id, Attribution by) {
        var row = world.executions.find(id);
        OperatorDecisions.mustBeErasable(row.facts());
        world.steps.erase(row);
        world.log.erase(id);
        world.log.append(new Event.Erased(id, row.lane(), by, world.now()), Tags.NONE);
        return id;
    }
}
