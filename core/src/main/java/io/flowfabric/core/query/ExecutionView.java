package io.flowfabric.core.query;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Tags;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState;

import java.time.Instant;
import java.util.Optional;

/**
 * An execution as it is, without its payloads.
 *
 * @param state what it is; ready work in a closed lane reads as blocked by the lane
 * @param priority as it is now; the policy has the one it was submitted with
 * @param attempts how many were started
 * @param epoch the newest lease ever given; 0 before the first
 * @param retries how many followed a failure since the submission, or the last replay
 * @param reclaims how often its lease lapsed
 * @param progress the last report of the current attempt
 * @param failure the last failure of an attempt
 * @param endedBy who ended it, and why, when it was not its worker; kept as long as the execution
 * @param owner who holds the lease
 * @param changed when its state last changed
 */
public record ExecutionView(
        ExecutionId id,
        Lane lane,
        String kind,
        String creator,
        Optional<String> key,
        Tags tags,
        Policy policy,
        ExecutionState state,
        int priority,
        int attempts,
        long epoch,
        int retries,
        int reclaims,
        int replays,
        Optional<Done> progress,
        Optional<Failure> failure,
        Optional<Attribution> endedBy,
        Optional<Owner> owner,
        Optional<Instant> deadline,
        Instant submitted,
        Instant changed) {

    /** How far the current attempt is, as last reported. */
    public record Done(int percent, String message, Instant at) {}
}
