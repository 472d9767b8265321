package io.flowfabric.core;

import java.util.Locale;

/**
 * The one word that says what an execution is, derived from its state and never stored as a truth
 * of its own.
 */
public enum PublicState {
    WAITING,
    DELAYED,
    RATE_LIMITED,
    WAITING_CHILDREN,
    ACTIVE,
    SUSPENDED,
    COMPLETED,
    FAILED,
    CANCELLED,
    EXPIRED,
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
