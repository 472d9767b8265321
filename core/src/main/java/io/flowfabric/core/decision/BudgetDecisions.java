package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;

/** What a breached budget changes. */
public final class BudgetDecisions {
    private BudgetDecisions() {}

    /**
     * It draws on a budget that cancels: what runs ends, whatever its worker is at; what was only
     * granted goes back to wait.
     *
     * @param breach which limit is reached, in words
     */
    public static Change cancel(Facts facts, String breach, Instant now) {
        if (facts.state() instanceof Granted) {
            return TimerDecisions.forfeit(facts).by(Attribution.engine(breach));
        }
        return Change.finish(facts, Transition.CANCEL, Outcome.CANCELLED, now)
                .failure(Failure.of(Failure.CANCELLED, breach))
                .by(Attribution.engine(breach));
    }
}
