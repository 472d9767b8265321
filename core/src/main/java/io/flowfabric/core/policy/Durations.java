package io.flowfabric.core.policy;

import io.flowfabric.core.Limit;

import java.time.Duration;
import java.time.Instant;

/**
 * The rule for times in policies and settings: whole milliseconds, not negative, at most a hundred
 * years.
 */
public final class Durations {
    private Durations() {}

    /** Returns the duration in whole milliseconds, at least {@code min} of them. */
    public static Duration checked(String field, long min, Duration duration) {
        return Duration.ofMillis(
                Limit.DURATION_MILLIS.checkRange(field + " in ms", min, millis(duration)));
    }

    /** Milliseconds, or a number that is out of every range where they do not fit into one. */
    private static long millis(Duration duration) {
        try {
            return duration.toMillis();
        } catch (ArithmeticException tooLarge) {
            return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    static long millis(Instant time) {
        try {
            return time.toEpochMilli();
        } catch (ArithmeticException tooFar) {
            return time.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }
}
