package io.flowfabric.faults;

import io.flowfabric.core.contract.Store;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The machine's clock, which stands still during each commit, as that of a database does, so that
 * one commit has one time. The store in memory does one thing at a time anyway.
 */
final class CommitClock implements InstantSource {
    private final ReentrantLock lock = new ReentrantLock();
    private volatile Instant now = Instant.EPOCH;

    private CommitClock() {}

    /** A store in memory that lives in real time. */
    static Store memoryStore() {
        var clock = new CommitClock();
        return HookedStore.over(new MemoryStore(clock), (name, call) -> clock.commit(call));
    }

    @Override
    public Instant instant() {
        return now;
    }

    private Object commit(HookedStore.Call call) throws Exception {
        lock.lock();
        try {
            now = InstantSource.system().instant().truncatedTo(ChronoUnit.MILLIS);
            return call.call();
        } finally {
            lock.unlock();
        }
    }
}
