package io.flowfabric.engine;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
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

    /** Nanoseconds since some moment. They never go back, whatever happens to the clock. */
    long nanos();

    /**
     * Parks this thread until it is unparked or interrupted, or so much time has passed. It may
     * return for no reason: the caller looks again whether there is still something to wait for.
     */
    void park(long nanos);

    /**
     * How much longer than it must an engine waits, so that many do not wait for the same moment.
     *
     * @param most in nanoseconds
     * @return from zero to {@code most}, by chance; a test decides it
     */
    default long jitter(long most) {
        return ThreadLocalRandom.current().nextLong(most + 1);
    }
}
