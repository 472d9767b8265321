package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.SessionId;

import java.util.Set;

/**
 * A sign of life.
 *
 * @param acknowledged the highest claim number whose answer, and those of all lower numbers, has
 *     arrived
 * @param held the fences the worker believes to hold
 */
public record Heartbeat(SessionId session, long acknowledged, Set<Fence> held) {
    public Heartbeat {
        if (acknowledged < 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE, "acknowledged", "It must not be negative.");
        }
        Limit.BATCH.checkCount("held fences", held.size());
        held = Set.copyOf(held);
    }

    /** A heartbeat that acknowledges no claim and asks about no fence. */
    public static Heartbeat of(SessionId session) {
        return new Heartbeat(session, 0, Set.of());
    }
}
