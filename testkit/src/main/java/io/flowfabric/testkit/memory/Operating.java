package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.contract.Act;
import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Event;
import io.flowfabric.core.contract.Lease;
import io.flowfabric.core.contract.Operations;
import io.flowfabric.core.decision.ByOperator;
import io.flowfabric.core.state.ExecutionState;

import java.util.List;
import java.util.Optional;

/** What operators may do, by name and with a reason. */
final class Operating implements Operations {
    private final World world;

    Operating(World world) {
        this.world = world;
    }

    @Override
    public List<Answer<ExecutionState>> act(List<Act> acts, By by) {
        return Answers.each(world, "acts", acts, act -> act(act, by));
    }

    private ExecutionState act(Act act, By by) {
        var row = world.find(act.execution());
        ByOperator.act(act, by, row.facts(), world.now())
                .ifPresent(change -> world.apply(row, change));
        return row.state;
    }

    @Override
    public Lease claim(ExecutionId execution, SessionId session, By by) {
        return world.call(
                () -> {
                    var living = world.alive(session);
                    var row = world.find(execution);
                    var held = row.lease.filter(lease -> lease.session().equals(session));
                    if (held.isPresent()) {
                        return held.get();
                    }
                    ByOperator.mustBeClaimable(row.facts(), world.now());
                    ByOperator.mustBeAdmitted(
                            row.id(),
                            world.purses.obstacle(row),
                            world.meters.views(row, world.now()));
                    return world.lease(row, living, Optional.of(by));
                });
    }

    @Override
    public List<Answer<ExecutionId>> erase(List<ExecutionId> executions, By by) {
        return Answers.each(world, "executions", executions, id -> erase(id, by));
    }

    private ExecutionId erase(ExecutionId id, By by) {
        var row = world.find(id);
        ByOperator.mustBeErasable(row.facts());
        world.erase(row);
        world.log.erase(id);
        world.log.append(new Event.Erased(id, row.lane(), by, world.now()), Tags.NONE);
        return id;
    }
}
