package io.flowfabric.core.contract;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.state.ExecutionState;

import java.util.List;

/** What operators do to executions, by id, with their name and a reason instead of a fence. */
public interface Operations {
    /**
     * Acts on executions, each by itself, and returns what each is then.
     *
     * <p>Asking again for what is already so is success and changes nothing. Refusals: {@code
     * NotFound} for an unknown id, {@code Conflict} when the execution has ended, or is not in a
     * state that the act applies to.
     */
    List<Answer<ExecutionState>> act(List<Act> acts, By by);

    /**
     * Leases one ready execution to a session, past the order of the lane and past what the session
     * serves.
     *
     * @throws io.flowfabric.core.Conflict when it is not ready, unless this very session holds it
     *     already
     */
    Lease claim(ExecutionId execution, SessionId session, By by);
}
