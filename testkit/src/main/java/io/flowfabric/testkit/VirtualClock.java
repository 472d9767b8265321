package io.flowfabric.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;

/** A clock that stands still until it is told otherwise. It never goes backwards. */
public final class VirtualClock implements InstantSource {
    /** An ordinary morning, so that printed times are easy to read. */
    public static final Instant MORNING = Instant.parse("2026-01-01T08:00:00Z");

    private volatile Instant now = MORNING;

    /** A clock that shows {@link #MORNING}. */
    public VirtualClock() {}

    @Override
    public Instant instant() {
        return now;
    }

    public synchronized void advance(Duration step) {
        if (step.isNegative()) {
            throw new IllegalArgumentException("time does not go back: " + step);
        }
        now = now.plus(step);
    }
}
