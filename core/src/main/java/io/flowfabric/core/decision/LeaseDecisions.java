package io.flowfabric.core.decision;

import io.flowfabric.core.Failure;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;

/** What the holder of a lease changes by giving it up. */
public final class LeaseDecisions {
    private LeaseDecisions() {}

    /** Decides about an ending whose fence holds. */
    public static Change end(Ending ending, Facts facts, Instant now) {
        return switch (ending) {
            case Ending.Complete complete ->
                    Change.finish(facts, Transition.COMPLETE, Outcome.SUCCESS, now)
                            .result(complete.result());
            case Ending.Fail fail -> fail(fail.failure(), fail.verdict(), facts, now);
            case Ending.Cancel cancel ->
                    Change.finish(facts, Transition.CANCEL, Outcome.CANCELLED, now)
                            .failure(Failure.of(Failure.CANCELLED, cancel.reason()));
            case Ending.Delay delay ->
                    Change.of(
                            facts,
                            Transition.DELAY,
                            new Delayed(
                                            LeasePurpose.CONTINUE,
                                            delay.until().from(now),
                                            DelayedBy.REQUEST)
                                    .unlessDue(now));
            case Ending.Release release ->
                    Change.of(facts, Transition.RELEASE, new Ready(LeasePurpose.CONTINUE));
        };
    }

    /** What the holder is told. */
    public static Ended answer(Ending ending, Instant now) {
        return switch (ending) {
            case Ending.Complete complete -> new Ended(Transition.COMPLETE, Optional.empty());
            case Ending.Fail fail ->
                    switch (fail.verdict()) {
                        case RetryDecision.GiveUp() -> new Ended(Transition.FAIL, Optional.empty());
                        case RetryDecision.TryAgain(var delay) ->
                                new Ended(Transition.RETRY, Optional.of(now.plus(delay)));
                    };
            case Ending.Cancel cancel -> new Ended(Transition.CANCEL, Optional.empty());
            case Ending.Delay delay ->
                    new Ended(Transition.DELAY, Optional.of(delay.until().from(now)));
            case Ending.Release release -> new Ended(Transition.RELEASE, Optional.empty());
        };
    }

    /** What a failed attempt leads to, whether its worker or a timer found that it failed. */
    static Change fail(Failure failure, RetryDecision verdict, Facts facts, Instant now) {
        var change =
                switch (verdict) {
                    case RetryDecision.GiveUp() ->
                            Change.finish(facts, Transition.FAIL, Outcome.FAILED, now);
                    case RetryDecision.TryAgain(var delay) ->
                            Change.of(
                                            facts,
                                            Transition.RETRY,
                                            backoff(Due.in(delay).from(now), now))
                                    .counts(facts.retries() + 1, facts.reclaims(), facts.replays());
                };
        return change.failure(failure);
    }

    private static ExecutionState backoff(Instant until, Instant now) {
        return new Delayed(LeasePurpose.RETRY, until, DelayedBy.BACKOFF).unlessDue(now);
    }
}
