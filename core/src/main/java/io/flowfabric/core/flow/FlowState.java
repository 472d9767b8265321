package io.flowfabric.core.flow;

import java.util.Locale;

/** What a flow is as a whole. */
public enum FlowState {
    /** Members of it have not ended, or may still be added. */
    RUNNING,
    /** All members have ended, and what failed does not matter. */
    COMPLETED,
    /** All members have ended, and one of them failed, expired or was cancelled. */
    FAILED,
    /** All members have ended, and it was cancelled. */
    CANCELLED,
    /** All members were skipped. */
    SKIPPED;

    /** Whether nothing but a replay of a member changes it any more. */
    public boolean ended() {
        return this != RUNNING;
    }

    /** The state as it travels: {@code running}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
