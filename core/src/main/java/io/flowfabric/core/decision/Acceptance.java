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
import io.flowfabric.core.submit.KeyUse;
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

    /**
     * An execution that a store has already.
     *
     * @param content what it was submitted with, to say what differs; a store may leave it out
     *     where the digest is the same, and where it cannot read it
     * @param ended whether it has ended, as far as the store can read that
     */
    public record Known(
            ExecutionId id, Digest digest, Optional<SubmittedContent> content, boolean ended) {
        /** Whether a submission that has the same key takes it over. */
        public boolean yieldsKeyTo(Submission submission) {
            return ended && submission.keyUse() == KeyUse.WHILE_PENDING;
        }
    }

    /**
     * The answer to a submission that a store has heard before; nothing when it is new, or takes
     * over the key of what has ended.
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
            if (!known.id.equals(submission.id())) {
                throw new Conflict(
                        Conflict.Code.ID_TAKEN,
                        known.id.toString(),
                        "This UUID was submitted in another partition. Use another id.");
            }
            mustAgree(submission, digest, known, Conflict.Code.ID_TAKEN, "id " + known.id);
            return Optional.of(new Submitted(known.id, false));
        }
        if (sameKey.isPresent()) {
            var known = sameKey.get();
            if (known.yieldsKeyTo(submission)) {
                return Optional.empty();
            }
            if (submission.keyUse() == KeyUse.EXACT) {
                var key = "key " + submission.key().orElseThrow();
                mustAgree(submission, digest, known, Conflict.Code.KEY_TAKEN, key);
            }
            return Optional.of(new Submitted(known.id, false));
        }
        return Optional.empty();
    }

    /**
     * @param taken the id or the key that the two submissions share
     */
    private static void mustAgree(
            Submission submission, Digest digest, Known known, Conflict.Code code, String taken) {
        if (!known.digest.equals(digest)) {
            var differences =
                    known.content
                            .map(content -> content.differences(submission, known.digest))
                            .map(names -> " What differs: %s.".formatted(String.join(", ", names)))
                            .orElse("");
            throw new Conflict(
                    code,
                    known.id.toString(),
                    "The %s was submitted with other content.%s Submit it as it was, or use another one."
                            .formatted(taken, differences));
        }
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
                    "The lane %s is %s and takes no new work: submit to another lane, or make it active."
                            .formatted(lane, state.wire()));
        }
    }

    /** How an execution begins that is accepted now. */
    public static Waiting begin(Policy policy, Instant now) {
        var start = policy.start().from(now);
        return Transition.begin(
                new Delayed(LeasePurpose.FIRST, start, DelayedBy.REQUEST).unlessDue(now));
    }
}
