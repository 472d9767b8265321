package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.flow.Upstream;
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
 * @param upstreams the members of its flow that it comes after, with what they produced, in the
 *     order in which they were added; none while they are apart
 * @param upstreamsApart whether its upstreams are too many or their results too large to come with
 *     a lease, and are to be read: {@link #allUpstreams} has all of them
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
        boolean stepsApart,
        List<Upstream> upstreams,
        boolean upstreamsApart) {
    /**
     * How large all steps of an execution may be together to come with its lease, in bytes. A claim
     * of 256 then brings four megabytes of them at most.
     */
    public static final int STEPS_BYTES = 16 << 10;

    /**
     * How large the results of all upstreams of a member may be together to come with its lease, in
     * bytes, for the same reason.
     */
    public static final int UPSTREAMS_BYTES = 16 << 10;

    /** How many upstreams of a member come with its lease at most; each has a name. */
    public static final int UPSTREAMS = 64;

    public Lease {
        steps = List.copyOf(steps);
        upstreams = List.copyOf(upstreams);
    }

    /** A lease of an execution without steps that comes after no other. */
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
                false,
                List.of(),
                false);
    }

    /** This lease with these steps, which are all that its execution has. */
    public Lease steps(List<Step> recorded) {
        return with(recorded, false, upstreams, upstreamsApart);
    }

    /** This lease of an execution whose steps are too large to come with it. */
    public Lease withStepsApart() {
        return with(List.of(), true, upstreams, upstreamsApart);
    }

    /** This lease with these upstreams, which are all that its execution comes after. */
    public Lease upstreams(List<Upstream> before) {
        return with(steps, stepsApart, before, false);
    }

    /** This lease of an execution whose upstreams are too much to come with it. */
    public Lease withUpstreamsApart() {
        return with(steps, stepsApart, List.of(), true);
    }

    /** All that its execution comes after, which is read where it did not come with it. */
    public List<Upstream> allUpstreams(Flows flows) {
        return upstreamsApart ? flows.allUpstreams(fence.execution()) : upstreams;
    }

    /** This lease with these upstreams if they are little enough to come with it. */
    public Lease withUpstreams(List<Upstream> before) {
        return before.size() <= UPSTREAMS
                        && before.stream().mapToLong(Upstream::bytes).sum() <= UPSTREAMS_BYTES
                ? upstreams(before)
                : withUpstreamsApart();
    }

    private Lease with(
            List<Step> recorded,
            boolean recordedApart,
            List<Upstream> before,
            boolean beforeApart) {
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
                recordedApart,
                before,
                beforeApart);
    }
}
