package io.flowfabric.worker;

import io.flowfabric.core.lease.Lease;

import java.time.Duration;

/**
 * How quick handlers are, by the median of their last runs, and how much is prefetched for that.
 *
 * <p>The median is under a limit when more than half of the runs are; so one bit for each of the
 * last 64 and for each limit is all there is to remember. Not safe for use by many threads at once.
 */
final class Pace {
    /** What a quick handler takes, at most. */
    static final long QUICK = Duration.ofMillis(20).toNanos();

    private static final long INSTANT = Duration.ofMillis(1).toNanos();

    /** How many times as many as can run are held: work for 160 ms at most, and for 32 ms. */
    private static final int AHEAD_IF_QUICK = 8;

    private static final int AHEAD_IF_INSTANT = 32;

    /** How many bytes of inputs are held beside those that run. */
    static final long AHEAD_BYTES = 16L << 20;

    /** Fewer than this say nothing. */
    private static final int ENOUGH = 8;

    /** After so many leases without a clock the next ones are not expected to have one. */
    private static final int UNCLOCKED = Long.SIZE;

    private long quick;
    private long instant;
    private int runs;
    private int unclocked = UNCLOCKED;
    private long large;

    void ran(long nanos) {
        quick = quick << 1 | (nanos < QUICK ? 1 : 0);
        instant = instant << 1 | (nanos < INSTANT ? 1 : 0);
        runs = Math.min(runs + 1, Long.SIZE);
    }

    /** Notes what kind of work there is: with a clock or without, and how large. */
    void got(Lease lease) {
        unclocked = hasClock(lease) ? 0 : Math.min(unclocked + 1, UNCLOCKED);
        large = Math.max(lease.input().size(), large - large / Long.SIZE);
    }

    /**
     * Whether the store counts the time from the claim on, until the attempt times out or has
     * stalled. Such a lease waits for no slot: that time is the handler's.
     */
    static boolean hasClock(Lease lease) {
        var policy = lease.policy();
        return policy.attemptTimeout().isPresent() || policy.stallTimeout().isPresent();
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

    /** How much is held beside what runs, where so many can run at once. */
    int ahead(int concurrency) {
        if (unclocked < UNCLOCKED) {
            return 0;
        }
        int times = most(instant) ? AHEAD_IF_INSTANT : quick() ? AHEAD_IF_QUICK : 0;
        return (int) Math.min((long) times * concurrency, AHEAD_BYTES / Math.max(1, large));
    }

    private boolean most(long bits) {
        return runs >= ENOUGH && 2 * Long.bitCount(bits) > runs;
    }
}
