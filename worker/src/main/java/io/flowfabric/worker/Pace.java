package io.flowfabric.worker;

import java.time.Duration;

/**
 * Whether handlers are quick: whether the median of their last runs is under the limit.
 *
 * <p>It is when more than half of them are; so one bit for each of the last 64 is all there is to
 * remember. Not safe for use by many threads at once.
 */
final class Pace {
    private static final long QUICK = Duration.ofMillis(20).toNanos();

    /** Fewer than this say nothing. */
    private static final int ENOUGH = 8;

    private long quick;
    private int runs;

    void ran(long nanos) {
        quick = quick << 1 | (nanos < QUICK ? 1 : 0);
        runs = Math.min(runs + 1, Long.SIZE);
    }

    /** Forgets all runs: they say nothing about what runs now. */
    void forget() {
        quick = 0;
        runs = 0;
    }

    boolean quick() {
        return runs >= ENOUGH && 2 * Long.bitCount(quick) > runs;
    }
}
