package io.flowfabric.core;

import java.util.Locale;

/**
 * The one word that says what an execution is, derived from its state and never stored as a truth
 * of its own.
 */
public enum PublicState {
    /** Ready, or held back by something other than time. */
    WAITING,
    /** It waits for a moment. */
    DELAYED,
    /** It waits for a quota. */
    RATE_LIMITED,
    /** It waits for other executions. */
    WAITING_CHILDREN,
    /** A worker holds it. */
    ACTIVE,
    /** It waits for a signal or a person. */
    SUSPENDED,
    /** It ended with success. */
    COMPLETED,
    /** It ended with a failure. */
    FAILED,
    /** It was cancelled. */
    CANCELLED,
    /** Its deadline passed. */
    EXPIRED,
    /** It was not needed any more in its flow. */
    SKIPPED;

    /** The word as it travels: {@code waiting_children}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether the execution has ended. */
    public boolean terminal() {
        return switch (this) {
            case COMPLETED, FAILED, CANCELLED, EXPIRED, SKIPPED -> true;
            case WAITING, DELAYED, RATE_LIMITED, WAITING_CHILDREN, ACTIVE, SUSPENDED -> false;
        };
    }
}
