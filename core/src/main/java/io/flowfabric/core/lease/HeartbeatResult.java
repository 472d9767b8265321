package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;

import java.time.Instant;
import java.util.Set;

/**
 * The answer to a heartbeat.
 *
 * @param aliveUntil when the session dies without another
 * @param lost which of the held fences no longer hold: their handlers should be interrupted
 * @param leases how many leases the session has of those that it has asked for; what operators have
 *     claimed for it is not among them. More than it knows of, for longer than a claim is under
 *     way, means that the store has lost commits, and with them the ends of some
 */
public record HeartbeatResult(Instant aliveUntil, Set<Fence> lost, int leases) {
    public HeartbeatResult {
        lost = Set.copyOf(lost);
    }
}
