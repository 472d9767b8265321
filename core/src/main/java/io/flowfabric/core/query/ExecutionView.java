package io.flowfabric.core.query;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Tags;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Running;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

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
 * @param leasedUntil until when it holds, unless its session shows a sign of life before
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
        Optional<Instant> leasedUntil,
        Optional<Instant> deadline,
        Instant submitted,
        Instant changed) {

    /** The fence of the lease that is held. */
    public Optional<Fence> fence() {
        return state instanceof Running
                ? Optional.of(new Fence(id, attempts - 1, epoch))
                : Optional.empty();
    }

    /** The id of the lease that is held, for those who know leases by ids. */
    public Optional<UUID> leaseId() {
        return fence().map(Fence::leaseId);
    }

    /** The id of the newest attempt, for those who know attempts by ids; none before the first. */
    public Optional<UUID> attemptId() {
        return attempts == 0
                ? Optional.empty()
                : Optional.of(new Fence(id, attempts - 1, epoch).attemptId());
    }

    /** How far the current attempt is, as last reported. */
    public record Done(int percent, String message, Instant at) {}
}
