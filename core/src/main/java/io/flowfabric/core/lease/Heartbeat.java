package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;

import java.time.Duration;
import java.util.Set;

/**
 * A sign of life.
 *
 * @param acknowledged the highest claim number whose answer, and those of all lower numbers, has
 *     arrived
 * @param held the fences the worker believes to hold
 * @param patience how long its sender waits for an answer: a store gives up a connection that takes
 *     longer, so that another one can be tried while the session lives
 */
public record Heartbeat(SessionId session, long acknowledged, Set<Fence> held, Duration patience) {
    /** The time between two heartbeats of a session with the default time to live. */
    public static final Duration DEFAULT_PATIENCE = Session.heartbeatEvery(Session.DEFAULT_TTL);

    public Heartbeat {
        if (!patience.isPositive()) {
            throw new Invalid(Invalid.Code.OUT_OF_RANGE, "patience", "It must be positive.");
        }
        if (acknowledged < 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE, "acknowledged", "It must not be negative.");
        }
        Limit.BATCH.checkCount("held fences", held.size());
        held = Set.copyOf(held);
    }

    /** A heartbeat with the default patience. */
    public Heartbeat(SessionId session, long acknowledged, Set<Fence> held) {
        this(session, acknowledged, held, DEFAULT_PATIENCE);
    }

    /** A heartbeat that acknowledges no claim and asks about no fence. */
    public static Heartbeat of(SessionId session) {
        return new Heartbeat(session, 0, Set.of());
    }
}
