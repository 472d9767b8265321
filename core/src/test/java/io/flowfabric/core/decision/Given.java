package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;

import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.StateVector.AttemptState;

import java.time.Instant;
import java.util.Optional;

/**
 * Facts about an execution that has been through something: 2 attempts, 1 retry, 3 reclaims, 4
 * replays.
 */
final class Given {
    static final Running RUNNING = new Running(SESSION, NOON);
    static final Delayed DELAYED =
            new Delayed(LeasePurpose.CONTINUE, NOON.plusSeconds(60), DelayedBy.REQUEST);

    private Given() {}

    static Facts facts(ExecutionState state) {
        return facts(state, Policy.DEFAULT);
    }

    static Facts facts(ExecutionState state, Policy policy) {
        return facts(state, policy, Optional.empty());
    }

    static Facts facts(ExecutionState state, Policy policy, Optional<Instant> deadline) {
        return new Facts(ID, policy, state, 7, 2, 1, 3, 4, deadline, Optional.empty());
    }

    /** Facts about one that was never claimed. */
    static Facts untouched(ExecutionState state) {
        return new Facts(
                ID, Policy.DEFAULT, state, 7, 0, 0, 0, 0, Optional.empty(), Optional.empty());
    }

    static Finished ended(Outcome outcome) {
        return new Finished(outcome, NOON, AttemptState.ATTEMPT_TERMINAL);
    }
}
