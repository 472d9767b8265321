package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.state.ExecutionState;

import java.time.Instant;
import java.util.Optional;

/**
 * What a decision about an execution depends on, as it is under the store's lock.
 *
 * @param deadline when it expires, if it does
 * @param lastProgress when its worker last reported progress in the current attempt, or recorded a
 *     step, if it has
 * @param awaiting what is remembered of its waits
 */
public record Facts(
        ExecutionId id,
        Policy policy,
        ExecutionState state,
        int priority,
        int attempts,
        int retries,
        int reclaims,
        int replays,
        Optional<Instant> deadline,
        Optional<Instant> lastProgress,
        Awaiting awaiting) {

    public Facts {
        awaiting = awaiting.asOf(replays);
    }

    /** Facts of an execution of whose waits nothing is known, and nothing is decided. */
    public Facts(
            ExecutionId id,
            Policy policy,
            ExecutionState state,
            int priority,
            int attempts,
            int retries,
            int reclaims,
            int replays,
            Optional<Instant> deadline,
            Optional<Instant> lastProgress) {
        this(
                id,
                policy,
                state,
                priority,
                attempts,
                retries,
                reclaims,
                replays,
                deadline,
                lastProgress,
                Awaiting.NOTHING);
    }

    /** These facts, with what is remembered of its waits. */
    public Facts awaiting(Awaiting remembered) {
        return new Facts(
                id,
                policy,
                state,
                priority,
                attempts,
                retries,
                reclaims,
                replays,
                deadline,
                lastProgress,
                remembered);
    }

    /** Whether it only waits for the engine to notice that it has expired. */
    public boolean pastDeadline(Instant now) {
        return deadline.filter(at -> !at.isAfter(now)).isPresent();
    }

    Conflict conflict(Conflict.Code code, String explanation) {
        return new Conflict(code, id.toString(), explanation.formatted(state.publicState().wire()));
    }

    void refuseIfFinished() {
        if (state.terminal()) {
            throw Conflicts.alreadyFinished(id, state.publicState());
        }
    }
}
