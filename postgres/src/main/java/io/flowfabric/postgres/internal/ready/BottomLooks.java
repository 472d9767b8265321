package io.flowfabric.postgres.internal.ready;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * When a process that remembers up to where everything was removed begins at the bottom again: once
 * a second, for what came late and lies below.
 *
 * <p>While another program holds a snapshot open, a look from the bottom steps over everything that
 * was removed since, and takes ever longer. It is made less often then, so that it takes a small
 * part of the time; but not seldom, because one may also take long because it had to wait, and what
 * came late lies there until the next.
 */
final class BottomLooks {
    private static final long EVERY = Duration.ofSeconds(1).toNanos();
    private static final long SELDOM = Duration.ofSeconds(5).toNanos();

    /** How many times as long as a look took it is until the next. */
    private static final int REST = 20;

    private final LongSupplier nanos;
    private long due;

    BottomLooks() {
        this(System::nanoTime);
    }

    /** Looks by another clock, for tests. */
    BottomLooks(LongSupplier nanos) {
        this.nanos = nanos;
        this.due = nanos.getAsLong();
    }

    /**
     * A look that begins now.
     *
     * @param bottom whether it is to begin at the bottom
     * @param began when it begins, in nanoseconds
     */
    record Start(boolean bottom, long began) {}

    /** Begins a look: at the bottom, if that is due; then none of the others for a while is. */
    synchronized Start begin() {
        long now = nanos.getAsLong();
        boolean bottom = now - due >= 0;
        if (bottom) {
            due = now + EVERY;
        }
        return new Start(bottom, now);
    }

    /** Hears that a look is over. */
    synchronized void over(Start look) {
        if (look.bottom) {
            long now = nanos.getAsLong();
            due = now + Math.clamp(REST * (now - look.began), EVERY, SELDOM);
        }
    }
}
