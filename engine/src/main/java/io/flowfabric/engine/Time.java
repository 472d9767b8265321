package io.flowfabric.engine;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

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

    /**
     * Whether a thread waits for nothing but this time to pass, though it runs a handler. Only in
     * the time of a test is there such a wait.
     */
    default boolean waits(Thread thread) {
        return false;
    }

    /**
     * Waits before something that failed is tried again: so long, or somewhat shorter as {@link
     * #jittered} says. It ends before when this thread is interrupted, or unparked and told that it
     * is over.
     */
    default void backOff(Duration delay, BooleanSupplier over) {
        long wait = jittered(delay);
        long began = nanos();
        for (long left = wait; left > 0 && !over.getAsBoolean(); left = wait - nanos() + began) {
            if (Thread.currentThread().isInterrupted()) {
                return;
            }
            park(left);
        }
    }

    /**
     * How many nanoseconds to wait before something that failed is tried again: so long, or less by
     * chance, but half of it at least. What fails in many processes at once is not tried again by
     * all of them at once.
     */
    default long jittered(Duration delay) {
        long whole = delay.toNanos();
        return whole - jitter(whole / 2);
    }

    /**
     * A part of a wait that is left to chance, so that many do not wait for the same moment.
     *
     * @param most in nanoseconds
     * @return from zero to {@code most}, by chance; a test decides it
     */
    default long jitter(long most) {
        return ThreadLocalRandom.current().nextLong(most + 1);
    }
}
