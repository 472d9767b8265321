package io.flowfabric.core;

import java.time.Duration;

/** The store is busy with the same thing, and nothing was changed. */
public final class Contended extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    private final Duration retryAfter;

    /** Says what is contended, and when a repeat makes sense. */
    public Contended(String what, Duration retryAfter) {
        super(
                "Another call holds the same data (%s), and nothing was changed; repeat it in %d ms."
                        .formatted(what, retryAfter.toMillis()));
        this.retryAfter = retryAfter;
    }

    /** The wait after which a repeat is worth it. */
    public Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public Advice advice() {
        return Advice.REPEAT_LATER;
    }
}
