package io.flowfabric.core.flow;

import io.flowfabric.core.Attribution;

import java.time.Instant;
import java.util.Objects;

/**
 * That a flow was cancelled.
 *
 * @param by who did it, and why
 * @param at when it was first asked for
 */
public record FlowCancellation(Mode mode, Attribution by, Instant at) {
    /** Which members a cancellation ends. What it leaves alone goes on to its own end. */
    public enum Mode {
        /** All that have not ended; those that run are taken from their workers. */
        ALL,
        /** Those of which no attempt was ever begun. */
        PENDING,
        /** Those that no worker has now. */
        INACTIVE,
        /** None: that it was cancelled is recorded, and is what the flow comes to. */
        RECORD
    }

    public FlowCancellation {
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(by, "by");
        Objects.requireNonNull(at, "at");
    }
}
