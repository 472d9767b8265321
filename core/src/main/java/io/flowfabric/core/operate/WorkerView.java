package io.flowfabric.core.operate;

import io.flowfabric.core.lease.Session;

import java.time.Instant;

/**
 * A worker process as the store knows it.
 *
 * @param session what it said about itself when it came
 * @param lastHeard its last sign of life: the last heartbeat, or its opening
 * @param aliveUntil when it dies without another sign of life; of a dead one, when it died
 * @param running how many executions it holds now; of one that has just died, how many have yet to
 *     return to the queue
 */
public record WorkerView(
        Session session,
        Instant opened,
        Instant lastHeard,
        Instant aliveUntil,
        boolean alive,
        int running) {}
