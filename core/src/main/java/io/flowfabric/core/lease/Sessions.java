package io.flowfabric.core.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.SessionId;

import java.util.List;

/**
 * Worker processes, as the store knows them. Leases live as long as their session.
 *
 * <p>A session that misses its heartbeats dies once and for good: its id never lives again, and its
 * work returns to the queue.
 */
public interface Sessions {
    /**
     * Registers a session.
     *
     * <p>Repeating it while it lives, with the same content, refreshes it like a heartbeat.
     * Refusals: {@code Conflict} when the id was opened with other content, or when the instance
     * lives under the name of another worker in this namespace; {@code NotFound} when the session
     * of this id has died.
     */
    OpenedSession open(Session session);

    /** Keeps sessions alive. Refusal: {@code NotFound} when a session has died. */
    List<Answer<HeartbeatResult>> heartbeat(List<Heartbeat> heartbeats);

    /** Ends a session at once, as if it had died. Closing again does nothing. */
    void close(SessionId session);
}
