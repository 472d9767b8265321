package io.flowfabric.postgres.internal.ready;

import org.jspecify.annotations.Nullable;

import java.time.Duration;

/**
 * Up to which time nothing is left that was due, so that sweeps begin there.
 *
 * <p>Timers that rang or were removed stay in the index until the server knows that nobody can see
 * them any more. While another program holds a snapshot open they pile up before those that are
 * still set, and a look that began at the bottom would step over all of them.
 *
 * <p>What is set from now on is due later than now, so it is found. Two kinds of timers are not:
 * those of a transaction that commits long after it asked for the time, and those that are set for
 * a time that has passed. This process says so when it sets one of the latter; the rest is found by
 * a look from the bottom once in a while.
 */
public final class DueFloor {
    /** How late the transaction of a timer may commit without being found late. */
    private static final long MARGIN = Duration.ofMillis(250).toMillis();

    private final BottomLooks bottomLooks = new BottomLooks();
    private long floor = Long.MIN_VALUE;
    private long generation;

    /**
     * One look at what is due.
     *
     * @param from nothing is looked at that was due before
     * @param bottom whether it begins at the bottom because that was due
     * @param began when it was told so, in nanoseconds
     */
    public record Look(long from, boolean bottom, long began, long generation) {}

    /** Where to look now. */
    public synchronized Look look() {
        boolean bottom = bottomLooks.begin();
        return new Look(bottom ? Long.MIN_VALUE : floor, bottom, System.nanoTime(), generation);
    }

    /**
     * Notes what a look found.
     *
     * @param now the time of the store when it looked
     * @param first when the first thing was due that it found; null where it found nothing
     */
    public synchronized void saw(Look look, long now, @Nullable Long first) {
        if (look.bottom) {
            bottomLooks.took(System.nanoTime() - look.began);
        }
        if (look.generation == generation) {
            floor = (first == null ? now : Math.min(first, now)) - MARGIN;
        }
    }

    /** Something was set for a time that may have passed. */
    public synchronized void set(long due) {
        if (due < floor) {
            floor = due;
            generation++;
        }
    }

    /** Things may be due that were not there before. */
    public synchronized void forget() {
        floor = Long.MIN_VALUE;
        generation++;
    }
}
