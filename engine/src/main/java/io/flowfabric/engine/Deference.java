package io.flowfabric.engine;

import java.time.Duration;

/**
 * How long an engine that is not the first one leaves what is due to others. All engines on a store
 * know when something is due, and one is enough for it: an engine that comes too late steps back,
 * and one that finds something to do steps forward. Should those in front be gone, the next one
 * does it a moment later.
 *
 * <p>Used by one thread.
 */
final class Deference {
    private static final long LEAST = Duration.ofMillis(5).toNanos();
    private static final long MOST = Duration.ofMillis(320).toNanos();

    private final Time time;
    private final long most;
    private long size = LEAST;
    private long drawn = LEAST;

    /**
     * @param most how late what is due may be at most because of this, in nanoseconds
     */
    Deference(Time time, long most) {
        this.time = time;
        this.most = Math.min(MOST, most);
    }

    /** For how long something has to be due before it is for this engine. */
    long nanos() {
        return drawn;
    }

    /** Another engine was first. */
    void stepBack() {
        become(Math.min(most, 2 * size));
    }

    /** This engine was first. */
    void stepForward() {
        become(Math.max(LEAST, size / 2));
    }

    private void become(long other) {
        size = other;
        drawn = size - time.jitter(size / 2);
    }
}
