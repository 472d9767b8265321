package io.flowfabric.core.stream;

import java.util.Locale;

/** How long a frame is kept. */
public enum FrameMode {
    /** As long as its execution. */
    DURABLE,
    /**
     * Until there are {@link io.flowfabric.core.Limit#LIVE_FRAMES} newer ones of this mode or of
     * {@link #SUMMARY}: for readers that look on, and for nobody later.
     */
    LIVE,
    /**
     * As a live one; besides, its payload is a merge patch (RFC 7396) that changes the summary of
     * the attempt, which is kept as long as the execution.
     */
    SUMMARY;

    /** Whether the frame goes when there are enough newer ones. */
    public boolean passing() {
        return this != DURABLE;
    }

    /** The mode as it travels: {@code durable}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
