package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.LeasePurpose;

import java.time.Instant;
import java.util.Optional;

/**
 * The right to work on an execution, and everything a worker needs to do so.
 *
 * @param next what this lease is for: a first try, a retry, or going on with what was begun
 * @param retriesUsed how many retries there were, for the policy to decide about the next failure
 * @param since when it was given
 * @param deadline when the execution expires
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
        Optional<Instant> deadline) {}
