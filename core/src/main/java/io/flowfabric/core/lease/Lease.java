package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.LeasePurpose;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The right to work on an execution, and everything a worker needs to do so.
 *
 * @param next what this lease is for: a first try, a retry, or going on with what was begun
 * @param retriesUsed how many retries there were, for the policy to decide about the next failure
 * @param since when it was given
 * @param deadline when the execution expires
 * @param steps what was recorded of it so far, in that order; none while they are apart
 * @param stepsApart whether its steps are too large to come with a lease, and are to be read:
 *     {@code Queries.allSteps} has all of them, whatever their size
 */
public record Lease(
        Fence fence,
        SessionId session,
        LeasePurpose next,
        Lane lane,
        String kind,
        Payload input,
        Tags tags,
        Policy policy,
        int retriesUsed,
        Instant since,
        Optional<Instant> deadline,
        List<Step> steps,
        boolean stepsApart) {
    /**
     * How large all steps of an execution may be together to come with its lease, in bytes. A claim
     * of 256 then brings four megabytes of them at most.
     */
    public static final int STEPS_BYTES = 16 << 10;

    public Lease {
        steps = List.copyOf(steps);
    }

    /** A lease of an execution without steps. */
    public Lease(
            Fence fence,
            SessionId session,
            LeasePurpose next,
            Lane lane,
            String kind,
            Payload input,
            Tags tags,
            Policy policy,
            int retriesUsed,
            Instant since,
            Optional<Instant> deadline) {
        this(
                fence,
                session,
                next,
                lane,
                kind,
                input,
                tags,
                policy,
                retriesUsed,
                since,
                deadline,
                List.of(),
                false);
    }

    /** This lease with these steps, which are all that its execution has. */
    public Lease steps(List<Step> recorded) {
        return new Lease(
                fence,
                session,
                next,
                lane,
                kind,
                input,
                tags,
                policy,
                retriesUsed,
                since,
                deadline,
                recorded,
                false);
    }

    /** This lease of an execution whose steps are too large to come with it. */
    public Lease withStepsApart() {
        return new Lease(
                fence,
                session,
                next,
                lane,
                kind,
                input,
                tags,
                policy,
                retriesUsed,
                since,
                deadline,
                List.of(),
                true);
    }
}
