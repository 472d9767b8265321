package io.flowfabric.engine;

import java.util.LinkedHashSet;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The claims that wait for work, of all sessions that can see the same work.
 *
 * <p>A wake-up is a signal that one waiter should look. It goes to the one that has waited longest,
 * and to no other; a waiter that was signalled and does not look, or looks and finds more than it
 * can take, hands the signal on. So a signal is never lost while a thread waits, and one piece of
 * work does not wake them all.
 */
final class WaitingRoom {
    /** A thread that waits. */
    static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private volatile boolean signalled;

        boolean signalled() {
            return signalled;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashSet<Waiter> waiting = new LinkedHashSet<>();
    private long lastLook;

    /** Lets a waiter be signalled from now on. */
    void enter(Waiter waiter) {
        lock.lock();
        try {
            waiter.signalled = false;
            waiting.add(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Lets a waiter go, and says whether there is a signal that it has not acted upon. */
    boolean leave(Waiter waiter) {
        lock.lock();
        try {
            waiting.remove(waiter);
            return waiter.signalled;
        } finally {
            lock.unlock();
        }
    }

    /** Signals the waiter that has waited longest. */
    void wakeOne() {
        Waiter first;
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                return;
            }
            first = waiting.removeFirst();
            first.signalled = true;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(first.thread);
    }

    /** Lets all of them see what has changed; it is no signal to look for work. */
    void rouse() {
        lock.lock();
        try {
            waiting.forEach(waiter -> LockSupport.unpark(waiter.thread));
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a waiter has looked, and found nothing. */
    void looked(long now) {
        lock.lock();
        try {
            lastLook = now;
        } finally {
            lock.unlock();
        }
    }

    /** Whether no waiter has looked for so long; if so, the caller is the one to do so. */
    boolean mayLook(long now, long every) {
        lock.lock();
        try {
            boolean overdue = now - lastLook >= every;
            if (overdue) {
                lastLook = now;
            }
            return overdue;
        } finally {
            lock.unlock();
        }
    }
}
