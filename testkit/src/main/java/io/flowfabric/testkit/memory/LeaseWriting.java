package io.flowfabric.testkit.memory;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.contract.Answer;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Ended;
import io.flowfabric.core.contract.Ending;
import io.flowfabric.core.contract.ExecutionView;
import io.flowfabric.core.contract.Leases;
import io.flowfabric.core.contract.Progress;
import io.flowfabric.core.policy.Verdict;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.Next;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What the holder of a lease may write. */
final class LeaseWriting implements Leases {
    private static final Optional<By> THE_HOLDER = Optional.empty();

    private final World world;

    LeaseWriting(World world) {
        this.world = world;
    }

    @Override
    public List<Answer<Fence>> progress(List<Progress> reports) {
        return Answers.each(world, "progress reports", reports, this::progress);
    }

    private Fence progress(Progress report) {
        var row = world.find(report.fence().execution());
        if (!world.holds(row, report.fence())) {
            throw row.leaseLost(report.fence());
        }
        row.progress =
                Optional.of(
                        new ExecutionView.Done(report.percent(), report.message(), world.now()));
        return report.fence();
    }

    @Override
    public List<Answer<Ended>> end(List<Ending> endings) {
        return Answers.each(world, "endings", endings, this::end);
    }

    private Ended end(Ending ending) {
        var row = world.find(ending.fence().execution());
        if (!world.holds(row, ending.fence())) {
            return firstAnswer(row, ending);
        }
        var answer = apply(row, ending);
        row.givenUp = Optional.of(new Row.GivenUp(ending.fence(), ending.digest(), answer));
        return answer;
    }

    /** The answer to a call that may have been heard before. */
    private static Ended firstAnswer(Row row, Ending ending) {
        var before =
                row.givenUp
                        .filter(given -> given.fence().equals(ending.fence()))
                        .filter(given -> given.fence().epoch() == row.epoch)
                        .orElseThrow(() -> row.leaseLost(ending.fence()));
        if (!before.digest().equals(ending.digest())) {
            throw new Conflict(
                    Conflict.Code.ENDED_DIFFERENTLY,
                    row.id().toString(),
                    "This lease was already ended, as %s."
                            .formatted(before.answer().transition().wire()));
        }
        return before.answer();
    }

    private Ended apply(Row row, Ending ending) {
        return switch (ending) {
            case Ending.Complete(var fence, var result) -> {
                row.result = Optional.of(result);
                world.finish(
                        row, Transition.COMPLETE, Outcome.SUCCESS, THE_HOLDER, Optional.empty());
                yield new Ended(Transition.COMPLETE, Optional.empty());
            }
            case Ending.Fail(var fence, var failure, var verdict) ->
                    new Ended(world.fail(row, failure, verdict, THE_HOLDER), retryAt(verdict));
            case Ending.Cancel(var fence, var reason) -> {
                var because = Optional.of(Failure.of(Failure.CANCELLED, reason));
                world.finish(row, Transition.CANCEL, Outcome.CANCELLED, THE_HOLDER, because);
                yield new Ended(Transition.CANCEL, Optional.empty());
            }
            case Ending.Delay(var fence, var due) -> {
                var until = due.from(world.now());
                var delayed = new Delayed(Next.CONTINUE, until, DelayedBy.REQUEST);
                var after = Row.unlessDue(delayed, world.now());
                world.leave(row, Transition.DELAY, after, THE_HOLDER, Optional.empty());
                yield new Ended(Transition.DELAY, Optional.of(until));
            }
            case Ending.Release(var fence) -> {
                world.leave(
                        row,
                        Transition.RELEASE,
                        new Ready(Next.CONTINUE),
                        THE_HOLDER,
                        Optional.empty());
                yield new Ended(Transition.RELEASE, Optional.empty());
            }
        };
    }

    private Optional<Instant> retryAt(Verdict verdict) {
        return switch (verdict) {
            case Verdict.GiveUp() -> Optional.empty();
            case Verdict.TryAgain(var delay) -> Optional.of(world.now().plus(delay));
        };
    }
}
