package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;

import java.time.Instant;
import java.util.Optional;

/**
 * Whether a submission is accepted. What is known already is recognised first, by its id and then
 * by its key; then its lane has to take work, and what its policy names has to be {@linkplain
 * Definitions defined}.
 */
public final class Acceptance {
    private Acceptance() {}

    /** An execution that a store has already. */
    public record Known(ExecutionId id, Digest digest) {}

    /**
     * The answer to a submission that a store has heard before; nothing when it is new.
     *
     * @param sameId the execution with its UUID, if there is one
     * @param sameKey the execution with its key in its namespace, if there is one
     * @throws Conflict when the one that is known was submitted with other content
     */
    public static Optional<Submitted> repeated(
            Submission submission, Digest digest, Optional<Known> sameId, Optional<Known> sameKey) {
        if (sameId.isPresent()) {
            var known = sameId.get();
            // The same UUID in another partition is another id.
            if (!known.id.equals(submission.id()) || !known.digest.equals(digest)) {
                throw new Conflict(
                        Conflict.Code.ID_TAKEN,
                        known.id.toString(),
                        "This id was submitted with other content.");
            }
            return Optional.of(new Submitted(known.id, false));
        }
        if (sameKey.isPresent()) {
            var known = sameKey.get();
            if (!known.digest.equals(digest)) {
                throw new Conflict(
                        Conflict.Code.KEY_TAKEN,
                        known.id.toString(),
                        "The key %s was submitted with other content."
                                .formatted(submission.key().orElseThrow()));
            }
            return Optional.of(new Submitted(known.id, false));
        }
        return Optional.empty();
    }

    /**
     * Refuses new work for a lane that takes none.
     *
     * @throws Denied when it is draining or disabled
     */
    public static void mustTake(Lane lane, LaneSettings.State state) {
        if (!state.takes()) {
            throw new Denied(
                    Denied.Code.LANE_CLOSED,
                    "The lane %s is %s and takes no new work.".formatted(lane, state.wire()));
        }
    }

    /** How an execution begins that is accepted now. */
    public static Waiting begin(Policy policy, Instant now) {
        var start = policy.start().from(now);
        return Transition.begin(
                new Delayed(LeasePurpose.FIRST, start, DelayedBy.REQUEST).unlessDue(now));
    }
}
