package io.flowfabric.engine;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that stands still during each commit, as that of a database does, so that one commit has
 * one time. The store in memory does one thing at a time anyway.
 */
public final class CommitClock implements InstantSource {
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Instant now;

    public CommitClock(InstantSource clock) {
        this.clock = clock;
        this.now = read();
    }

    @Override
    public Instant instant() {
        return lock.isHeldByCurrentThread() ? now : read();
    }

    /** Does something at one moment. */
    public Object commit(Callable<Object> something) throws Exception {
        lock.lock();
        try {
            now = read();
            return something.call();
        } finally {
            lock.unlock();
        }
    }

    private Instant read() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
