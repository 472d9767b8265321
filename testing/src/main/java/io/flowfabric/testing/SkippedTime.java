package io.flowfabric.testing;

import io.flowfabric.engine.Time;
import io.flowfabric.testkit.VirtualClock;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;

/**
 * A time that stands still until it is moved. A thread that waits in it really waits. Once it is
 * released it goes on by itself, so that everything can be stopped.
 */
final class SkippedTime implements Time {
    private final VirtualClock clock = new VirtualClock();

    /** Threads that wait, and until when. */
    private final Map<Thread, Long> parked = new ConcurrentHashMap<>();

    /** Those among them that play something slow in a handler. */
    private final Map<Thread, Long> asleep = new ConcurrentHashMap<>();

    private volatile boolean released;
    private volatile long releasedAt;

    @Override
    public Instant instant() {
        return clock.instant();
    }

    @Override
    public long nanos() {
        long skipped = Duration.between(VirtualClock.MORNING, clock.instant()).toNanos();
        return released ? skipped + System.nanoTime() - releasedAt : skipped;
    }

    @Override
    public void park(long nanos) {
        if (released) {
            LockSupport.parkNanos(this, nanos);
            return;
        }
        var thread = Thread.currentThread();
        long until = nanos() + nanos;
        parked.put(thread, until);
        try {
            // Looked at after it was put in: the thread that moves the time does it the other way
            // round.
            if (nanos() < until && !released) {
                LockSupport.park(this);
            }
        } finally {
            parked.remove(thread);
        }
    }

    /** Nothing is left to chance. */
    @Override
    public long jitter(long most) {
        return 0;
    }

    @Override
    public boolean waits(Thread thread) {
        var until = asleep.get(thread);
        return until != null && nanos() < until && !thread.isInterrupted();
    }

    /** Lets a handler wait until so much time was skipped. */
    void sleep(Duration length) throws InterruptedException {
        var thread = Thread.currentThread();
        long until = nanos() + Time.nanos(length);
        asleep.put(thread, until);
        try {
            while (nanos() < until && !released && !thread.isInterrupted()) {
                park(until - nanos());
            }
        } finally {
            // Before its interrupt is forgotten: until then it is seen not to wait any more.
            asleep.remove(thread);
        }
        if (Thread.interrupted() || released) {
            throw new InterruptedException("What took " + length + " was interrupted.");
        }
    }

    /** When the first handler that waits in this time goes on, in nanoseconds from now. */
    long untilAwake() {
        long now = nanos();
        return asleep.values().stream().mapToLong(until -> until - now).min().orElse(FAR);
    }

    /** Moves on, and wakes the threads that have waited for it. */
    void move(Duration step) {
        clock.advance(step);
        long now = nanos();
        parked.forEach(
                (thread, until) -> {
                    if (until <= now) {
                        LockSupport.unpark(thread);
                    }
                });
    }

    /** Goes on by itself from now on. */
    void release() {
        releasedAt = System.nanoTime();
        released = true;
        parked.keySet().forEach(LockSupport::unpark);
    }
}
