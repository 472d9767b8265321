package io.flowfabric.testkit.memory;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.contract.Act;
import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Lease;
import io.flowfabric.core.contract.Operations;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.Next;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

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
        switch (act) {
            case Act.Cancel cancel -> end(row, Transition.CANCEL, Outcome.CANCELLED, by);
            case Act.Complete complete -> {
                if (end(row, Transition.COMPLETE, Outcome.SUCCESS, by)) {
                    row.result = Optional.of(complete.result());
                }
            }
            case Act.Fail fail -> {
                if (!row.state.terminal()) {
                    world.finish(
                            row,
                            Transition.FAIL,
                            Outcome.FAILED,
                            Optional.of(by),
                            Optional.of(fail.failure()));
                } else {
                    end(row, Transition.FAIL, Outcome.FAILED, by);
                }
            }
            case Act.Pause pause -> pause(row, by);
            case Act.Resume resume -> resume(row, by);
            case Act.Revoke revoke -> revoke(row, by);
            case Act.Reprioritise reprioritise -> {
                refuseIfFinished(row);
                if (row.priority != reprioritise.priority()) {
                    world.reprioritise(row, reprioritise.priority(), by);
                }
            }
            case Act.Replay replay -> replay(row, by);
        }
        return row.state;
    }

    /** Ends it, unless it has ended that way already. Says whether this call did. */
    private boolean end(Row row, Transition transition, Outcome outcome, By by) {
        if (row.state instanceof Finished finished && finished.outcome() == outcome) {
            return false;
        }
        refuseIfFinished(row);
        world.finish(row, transition, outcome, Optional.of(by), Optional.empty());
        return true;
    }

    private void pause(Row row, By by) {
        switch (row.state) {
            case Waiting waiting -> hold(row, waiting, by);
            case Running running -> hold(row, new Ready(Next.RECLAIM), by);
            case Blocked blocked when blocked.by() == BlockedBy.OPERATOR -> {}
            case Finished finished -> refuseIfFinished(row);
            case Blocked other -> throw notWaiting(row);
            case Granted other -> throw notWaiting(row);
            case Suspended other -> throw notWaiting(row);
        }
    }

    private void hold(Row row, Waiting behind, By by) {
        var held = new Blocked(BlockedBy.OPERATOR, by.reason(), behind);
        world.leave(row, Transition.PAUSE, held, Optional.of(by), Optional.empty());
    }

    private void resume(Row row, By by) {
        refuseIfFinished(row);
        var after =
                switch (row.state) {
                    case Blocked blocked when blocked.by() == BlockedBy.OPERATOR ->
                            Row.unlessDue(blocked.behind(), world.now());
                    case Delayed delayed -> new Ready(delayed.next());
                    default -> throw notWaiting(row);
                };
        world.leave(row, Transition.RESUME, after, Optional.of(by), Optional.empty());
    }

    private void revoke(Row row, By by) {
        refuseIfFinished(row);
        if (row.state instanceof Running) {
            world.leave(
                    row,
                    Transition.REVOKE,
                    new Ready(Next.RECLAIM),
                    Optional.of(by),
                    Optional.empty());
        }
    }

    private void replay(Row row, By by) {
        if (!row.state.terminal()) {
            throw new Conflict(
                    Conflict.Code.NOT_FINISHED,
                    row.id().toString(),
                    "It is %s; only what has ended can be replayed."
                            .formatted(row.state.publicState().wire()));
        }
        if (!row.policy().mayReplay(row.replays)) {
            throw new Conflict(
                    Conflict.Code.REPLAYS_EXHAUSTED,
                    row.id().toString(),
                    "It was replayed %d times, which is all its policy allows."
                            .formatted(row.replays));
        }
        world.replay(row, by);
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
                    refuseIfFinished(row);
                    if (!(row.state instanceof Ready) || row.pastDeadline(world.now())) {
                        throw new Conflict(
                                Conflict.Code.NOT_CLAIMABLE,
                                execution.toString(),
                                "It is %s, and only ready work can be claimed."
                                        .formatted(row.state.publicState().wire()));
                    }
                    return world.lease(row, living, Optional.of(by));
                });
    }

    private static void refuseIfFinished(Row row) {
        if (row.state.terminal()) {
            throw new Conflict(
                    Conflict.Code.ALREADY_FINISHED,
                    row.id().toString(),
                    "It has already ended, as %s.".formatted(row.state.publicState().wire()));
        }
    }

    private static Conflict notWaiting(Row row) {
        return new Conflict(
                Conflict.Code.NOT_WAITING,
                row.id().toString(),
                "It is %s, which this cannot change.".formatted(row.state.publicState().wire()));
    }
}
