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

    private final BottomLooks bottomLooks;
    private long floor = Long.MIN_VALUE;

    /** The earliest of what was set since the last look that has seen all of it began. */
    private long unseen = Long.MAX_VALUE;

    /** How often something was set. */
    private long generation;

    public DueFloor() {
        this(new BottomLooks());
    }

    DueFloor(BottomLooks bottomLooks) {
        this.bottomLooks = bottomLooks;
    }

    /**
     * One look at what is due.
     *
     * @param from nothing is looked at that was due before
     */
    public record Look(long from, long generation, BottomLooks.Start start) {}

    /** Where to look now. */
    public synchronized Look look() {
        var start = bottomLooks.begin();
        return new Look(start.bottom() ? Long.MIN_VALUE : floor, generation, start);
    }

    /**
     * Notes what a look found.
     *
     * @param now the time of the store when it looked
     * @param first when the first thing was due that it found; null where it found nothing
     */
    public synchronized void saw(Look look, long now, @Nullable Long first) {
        bottomLooks.over(look.start);
        long seen = (first == null ? now : Math.min(first, now)) - MARGIN;
        if (look.generation == generation || unseen >= seen) {
            unseen = Long.MAX_VALUE;
        }
        long reached = Math.min(unseen, seen);
        // A look that began above the floor knows nothing of what is between.
        if (look.from <= floor || reached < floor) {
            floor = reached;
        }
    }

    /** Something was set for a time that may have passed. */
    public synchronized void set(long due) {
        floor = Math.min(floor, due);
        unseen = Math.min(unseen, due);
        generation++;
    }

    /** Things may be due that were not there before. */
    public synchronized void forget() {
        set(Long.MIN_VALUE);
    }
}
