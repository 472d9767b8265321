package io.flowfabric.postgres.internal.ready;

import java.time.Duration;

/**
 * When a process that remembers up to where everything was removed begins at the bottom again: once
 * a second, for what came late and lies below.
 *
 * <p>While another program holds a snapshot open, a look from the bottom steps over everything that
 * was removed since, and takes ever longer. It is made less often then, so that it never takes more
 * than a small part of the time.
 */
public final class BottomLooks {
    private static final long EVERY = Duration.ofSeconds(1).toNanos();
    private static final long SELDOM = Duration.ofMinutes(1).toNanos();

    /** How many times as long as a look took it is until the next. */
    private static final int REST = 20;

    private long due = System.nanoTime();

    /** Whether the caller is to look from the bottom now; then no other is for a while. */
    public synchronized boolean begin() {
        long now = System.nanoTime();
        if (now - due < 0) {
            return false;
        }
        due = now + EVERY;
        return true;
    }

    /** Hears how long a look from the bottom took, in nanoseconds. */
    public synchronized void took(long nanos) {
        long next = System.nanoTime() + Math.clamp(REST * nanos, EVERY, SELDOM);
        due = next - due > 0 ? next : due;
    }
}
