package io.flowfabric.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.locks.LockSupport;

/**
 * How an engine knows what time it is, and how it waits. Everything that waits here waits through
 * this, so that a test can bring a time which it moves itself.
 */
public interface Time extends InstantSource {
    /** The time of this machine. */
    Time SYSTEM =
            new Time() {
                @Override
                public Instant instant() {
                    return Instant.now();
                }

                @Override
                public long nanos() {
                    return System.nanoTime();
                }

                @Override
                public void park(long nanos) {
                    LockSupport.parkNanos(nanos);
                }
            };

    /** Later than anything that is waited for, in nanoseconds from now. */
    long FAR = Duration.ofDays(365).toNanos();

    /** As many nanoseconds, or {@link #FAR} for all that is longer: those of centuries overflow. */
    static long nanos(Duration length) {
        return length.compareTo(Duration.ofNanos(FAR)) < 0 ? length.toNanos() : FAR;
    }

    /** Nanoseconds since some moment. They never go back, whatever happens to the clock. */
    long nanos();

    /**
     * Parks this thread until it is unparked or interrupted, or so much time has passed. It may
     * return for no reason: the caller looks again whether there is still something to wait for.
     */
    void park(long nanos);
}
