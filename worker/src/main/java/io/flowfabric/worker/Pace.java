package io.flowfabric.worker;

import java.time.Duration;

/**
 * How quick handlers are, by the median of their last runs, and how much is prefetched for that.
 *
 * <p>The median is under a limit when more than half of the runs are; so one bit for each of the
 * last 64 and for each limit is all there is to remember. Not safe for use by many threads at once.
 */
final class Pace {
    private static final long QUICK = Duration.ofMillis(20).toNanos();
    private static final long INSTANT = Duration.ofMillis(1).toNanos();

    /** How many times as many as can run are held: work for 160 ms at most, and for 32 ms. */
    private static final int AHEAD_IF_QUICK = 8;

    private static final int AHEAD_IF_INSTANT = 32;

    /** Fewer than this say nothing. */
    private static final int ENOUGH = 8;

    private long quick;
    private long instant;
    private int runs;

    void ran(long nanos) {
        quick = quick << 1 | (nanos < QUICK ? 1 : 0);
        instant = instant << 1 | (nanos < INSTANT ? 1 : 0);
        runs = Math.min(runs + 1, Long.SIZE);
    }

    /** Forgets all runs: they say nothing about what runs now. */
    void forget() {
        quick = 0;
        instant = 0;
        runs = 0;
    }

    boolean quick() {
        return most(quick);
    }

    /** How much is held beside what runs, as a multiple of what can run at once. */
    int ahead() {
        return most(instant) ? AHEAD_IF_INSTANT : quick() ? AHEAD_IF_QUICK : 0;
    }

    private boolean most(long bits) {
        return runs >= ENOUGH && 2 * Long.bitCount(bits) > runs;
    }
}
