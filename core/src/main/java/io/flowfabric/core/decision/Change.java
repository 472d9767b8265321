package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;

/**
 * A step of an execution, decided and not yet written.
 *
 * @param after what it becomes; a lease that is held ends with the step, unless the step stays put
 * @param priority as it is afterwards, like the three counts and the deadline
 * @param by who took the step, when it was not the holder of the lease
 * @param failure what failed, where something did
 * @param result what it produced, where an operator says so
 * @param fresh whether what was recorded of it so far is cleared
 * @param waited what is to be written of its waits, where something is
 * @param abandons the flow that it awaited until this step ended it, where it did
 */
public record Change(
        Transition transition,
        ExecutionState after,
        int priority,
        int retries,
        int reclaims,
        int replays,
        Optional<Instant> deadline,
        Optional<Attribution> by,
        Optional<Failure> failure,
        Optional<Payload> result,
        boolean fresh,
        Optional<Waited> waited,
        Optional<FlowId> abandons) {

    /** A step that changes the state and nothing else. */
    static Change of(Facts facts, Transition transition, ExecutionState after) {
        return new Change(
                transition,
                transition.check(facts.state(), after),
                facts.priority(),
                facts.retries(),
                facts.reclaims(),
                facts.replays(),
                facts.deadline(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false,
                Optional.empty(),
                after.terminal() ? FlowAwaiting.awaited(facts.state()) : Optional.empty());
    }

    /** The step that ends an execution. */
    static Change finish(Facts facts, Transition transition, Outcome outcome, Instant now) {
        var attempt = outcome.attemptAtTheEnd(facts.attempts() > 0, facts.state().attempt());
        var end = of(facts, transition, new ExecutionState.Finished(outcome, now, attempt));
        return facts.awaiting().isOpen() ? end.waited(Waited.of(facts.awaiting().closed())) : end;
    }

    Change by(Attribution who) {
        return new Change(
                transition,
                after,
                priority,
                retries,
                reclaims,
                replays,
                deadline,
                Optional.of(who),
                failure,
                result,
                fresh,
                waited,
                abandons);
    }

    Change failure(Failure because) {
        return ended(Optional.of(because), result);
    }

    Change result(Payload produced) {
        return ended(failure, Optional.of(produced));
    }

    Change ended(Optional<Failure> because, Optional<Payload> produced) {
        return new Change(
                transition,
                after,
                priority,
                retries,
                reclaims,
                replays,
                deadline,
                by,
                because,
                produced,
                fresh,
                waited,
                abandons);
    }

    Change priority(int other) {
        return new Change(
                transition,
                after,
                other,
                retries,
                reclaims,
                replays,
                deadline,
                by,
                failure,
                result,
                fresh,
                waited,
                abandons);
    }

    Change fresh(boolean cleared) {
        return new Change(
                transition,
                after,
                priority,
                retries,
                reclaims,
                replays,
                deadline,
                by,
                failure,
                result,
                cleared,
                waited,
                abandons);
    }

    Change deadline(Optional<Instant> other) {
        return new Change(
                transition,
                after,
                priority,
                retries,
                reclaims,
                replays,
                other,
                by,
                failure,
                result,
                fresh,
                waited,
                abandons);
    }

    Change counts(int newRetries, int newReclaims, int newReplays) {
        return new Change(
                transition,
                after,
                priority,
                newRetries,
                newReclaims,
                newReplays,
                deadline,
                by,
                failure,
                result,
                fresh,
                waited,
                abandons);
    }

    Change waited(Waited other) {
        return new Change(
                transition,
                after,
                priority,
                retries,
                reclaims,
                replays,
                deadline,
                by,
                failure,
                result,
                fresh,
                Optional.of(other),
                abandons);
    }
}
