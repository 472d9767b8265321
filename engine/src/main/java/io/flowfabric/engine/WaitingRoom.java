package io.flowfabric.engine;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashSet;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The claims that wait for work, of all sessions that can see the same work.
 *
 * <p>A wake-up is a signal that one waiter should look. It goes to the one that has waited longest,
 * and to no other; a waiter that was signalled and does not look, or looks and finds more than it
 * can take, hands the signal on. So a signal is never lost while a thread waits, and one piece of
 * work does not wake them all. A waiter has one signal at most: it waits again when it has taken
 * that one up.
 */
final class WaitingRoom {
    /** A thread that waits. */
    static final class Waiter {
        private final Thread thread = Thread.currentThread();
        private volatile @Nullable WorkNotice signal;

        /** Until when it waits without a signal; nothing while it does not wait. */
        private volatile @Nullable Long until;

        boolean signalled() {
            return signal != null;
        }

        void rests(long moment) {
            until = moment;
        }

        void wakes() {
            until = null;
        }

        /** Whether it waits, and has no reason not to. */
        boolean atRest(long now) {
            var end = until;
            return end != null && now < end && signal == null;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final LinkedHashSet<Waiter> waiting = new LinkedHashSet<>();
    private long lastLook;

    /** Lets a waiter be signalled from now on, and gives it the signal that it has. */
    @Nullable WorkNotice enter(Waiter waiter) {
        lock.lock();
        try {
            var signal = waiter.signal;
            waiter.signal = null;
            waiting.add(waiter);
            return signal;
        } finally {
            lock.unlock();
        }
    }

    /** Lets a waiter go, and gives it the signal that it has not taken up. */
    @Nullable WorkNotice leave(Waiter waiter) {
        lock.lock();
        try {
            waiting.remove(waiter);
            return waiter.signal;
        } finally {
            lock.unlock();
        }
    }

    /** Hands a signal to the waiter that has waited longest, and says whether there is one. */
    boolean wakeOne(WorkNotice signal) {
        Waiter first;
        lock.lock();
        try {
            if (waiting.isEmpty()) {
                return false;
            }
            first = waiting.removeFirst();
            first.signal = signal;
        } finally {
            lock.unlock();
        }
        LockSupport.unpark(first.thread);
        return true;
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
