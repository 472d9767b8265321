package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;

import java.time.Instant;
import java.util.Set;

/**
 * The answer to a heartbeat.
 *
 * @param aliveUntil when the session dies without another
 * @param lost which of the held fences no longer hold: their handlers should be interrupted
 */
public record HeartbeatResult(Instant aliveUntil, Set<Fence> lost) {
    public HeartbeatResult {
        lost = Set.copyOf(lost);
    }
}
