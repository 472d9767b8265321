package io.flowfabric.core.decision;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;

/**
 * What the end of a lease writes, decided without the row and without a clock: a store can send it
 * as data, together with the fence that it holds under.
 *
 * <p>One thing is left to the store's clock: an execution whose wait is over by then is ready
 * instead of waiting. In Java that is {@link Waiting#unlessDue}.
 *
 * @param outcome how the execution ends, if it does
 * @param next what its next lease is for, if it goes on
 * @param until when it goes on; at once without it
 * @param delayedBy who set that time
 */
public record LeaseEnd(
        Transition transition,
        Optional<Outcome> outcome,
        Optional<LeasePurpose> next,
        Optional<Due> until,
        Optional<DelayedBy> delayedBy,
        Optional<Failure> failure,
        Optional<Payload> result) {

    public LeaseEnd {
        transition.check(Situation.RUNNING, situation(outcome, delayedBy));
        if (until.isPresent()) {
            transition.check(Situation.RUNNING, Situation.READY);
        }
    }

    /** What an ending writes if its fence holds. */
    public static LeaseEnd of(Ending ending) {
        return switch (ending) {
            case Ending.Complete complete ->
                    over(
                            Transition.COMPLETE,
                            Outcome.SUCCESS,
                            Optional.empty(),
                            Optional.of(complete.result()));
            case Ending.Fail fail -> failed(fail.failure(), fail.verdict());
            case Ending.Cancel cancel ->
                    over(
                            Transition.CANCEL,
                            Outcome.CANCELLED,
                            Optional.of(Failure.of(Failure.CANCELLED, cancel.reason())),
                            Optional.empty());
            case Ending.Delay delay ->
                    goesOn(
                            Transition.DELAY,
                            LeasePurpose.CONTINUE,
                            Optional.of(delay.until()),
                            Optional.of(DelayedBy.REQUEST),
                            Optional.empty());
            case Ending.Release release ->
                    goesOn(
                            Transition.RELEASE,
                            LeasePurpose.CONTINUE,
                            Optional.empty(),
                            Optional.empty(),
                            Optional.empty());
            case Ending.Suspend suspend ->
                    throw new IllegalArgumentException(
                            "what a suspension writes depends on the signals that are kept");
            case Ending.Await await ->
                    throw new IllegalArgumentException(
                            "what it writes depends on the flow that is awaited");
        };
    }

    /** What a failed attempt leads to: the end of the execution, or another attempt. */
    static LeaseEnd failed(Failure failure, RetryDecision verdict) {
        return switch (verdict) {
            case RetryDecision.GiveUp() ->
                    over(Transition.FAIL, Outcome.FAILED, Optional.of(failure), Optional.empty());
            case RetryDecision.TryAgain(var delay) ->
                    goesOn(
                            Transition.RETRY,
                            LeasePurpose.RETRY,
                            Optional.of(Due.in(delay)),
                            Optional.of(DelayedBy.BACKOFF),
                            Optional.of(failure));
        };
    }

    private static LeaseEnd over(
            Transition transition,
            Outcome outcome,
            Optional<Failure> failure,
            Optional<Payload> result) {
        return new LeaseEnd(
                transition,
                Optional.of(outcome),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                failure,
                result);
    }

    private static LeaseEnd goesOn(
            Transition transition,
            LeasePurpose next,
            Optional<Due> until,
            Optional<DelayedBy> by,
            Optional<Failure> failure) {
        return new LeaseEnd(
                transition,
                Optional.empty(),
                Optional.of(next),
                until,
                by,
                failure,
                Optional.empty());
    }

    /** The situation that it leads to, unless its wait is over at once. */
    public Situation situation() {
        return situation(outcome, delayedBy);
    }

    private static Situation situation(Optional<Outcome> outcome, Optional<DelayedBy> delayedBy) {
        return outcome.map(Outcome::situation)
                .or(() -> delayedBy.map(DelayedBy::situation))
                .orElse(Situation.READY);
    }

    /** How many retries it uses up. */
    public int retries() {
        return transition == Transition.RETRY ? 1 : 0;
    }

    /** What the holder of the lease is told, by a store whose clock says so. */
    public Ended answer(Instant now) {
        return new Ended(transition, until.map(due -> due.from(now)));
    }

    /** The step that it is for an execution, at a moment. */
    public Change change(Facts facts, Instant now) {
        var step =
                outcome.map(how -> Change.finish(facts, transition, how, now))
                        .orElseGet(() -> goesOn(facts, now))
                        .counts(facts.retries() + retries(), facts.reclaims(), facts.replays());
        return step.ended(failure, result);
    }

    private Change goesOn(Facts facts, Instant now) {
        var later = next.orElseThrow();
        return Change.of(
                facts,
                transition,
                until.<Waiting>map(
                                due ->
                                        new Delayed(later, due.from(now), delayedBy.orElseThrow())
                                                .unlessDue(now))
                        .orElse(new Ready(later)));
    }
}
