package io.flowfabric.core.stream;

import java.util.Locale;

/** Why nothing more is appended to the stream of an attempt. */
public enum StreamEnd {
    /** The execution was completed. */
    COMPLETED,
    /** The execution failed. */
    FAILED,
    /** The execution was cancelled. */
    CANCELLED,
    /** The deadline of the execution passed. */
    EXPIRED,
    /** The execution was not needed any more in its flow. */
    SKIPPED,
    /** Another attempt follows this one, or has followed it: a retry or a replay. */
    SUPERSEDED;

    /** The reason as it travels: {@code completed}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }
}
