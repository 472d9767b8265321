package io.flowfabric.core.operate;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Lease;
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
    List<Answer<ExecutionState>> act(List<OperatorCommand> acts, Attribution by);

    /**
     * Leases one ready execution to a session, past the order of the lane and past what the session
     * serves, but never across namespaces. The lease is told here and nowhere else, so whoever asks
     * does the work and ends it; it lapses with the session.
     *
     * @throws io.flowfabric.core.Conflict when it is of another namespace than the session, is not
     *     ready, or a quota leaves no room for it, unless this very session holds it already
     */
    Lease claim(ExecutionId execution, SessionId session, Attribution by);

    /**
     * Forgets ended executions before their retention ends, each by itself, with everything that is
     * theirs: input, result, failure, key, tags, history. Returns their ids, which are free again.
     *
     * <p>Their events leave the feeds too. One is left in their place, that says who erased the
     * execution and why, and nothing of what it was about. Refusals: {@code NotFound} for an
     * unknown id, also of what was erased before; {@code Conflict} when the execution has not
     * ended.
     */
    List<Answer<ExecutionId>> erase(List<ExecutionId> executions, Attribution by);
}
