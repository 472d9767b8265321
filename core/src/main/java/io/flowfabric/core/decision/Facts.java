package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState;

/** What a decision about an execution depends on, as it is under the store's lock. */
public record Facts(
        ExecutionId id,
        Policy policy,
        ExecutionState state,
        int priority,
        int attempts,
        int retries,
        int reclaims,
        int replays) {

    Conflict conflict(Conflict.Code code, String explanation) {
        return new Conflict(code, id.toString(), explanation.formatted(state.publicState().wire()));
    }

    void refuseIfFinished() {
        if (state.terminal()) {
            throw conflict(Conflict.Code.ALREADY_FINISHED, "It has already ended, as %s.");
        }
    }
}
