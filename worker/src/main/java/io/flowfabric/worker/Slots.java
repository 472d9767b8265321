package io.flowfabric.worker;

import io.flowfabric.core.Limit;
import io.flowfabric.engine.Time;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;

/**
 * Where assignments wait for a free slot, and how much room there is for more.
 *
 * <p>While handlers are quick it holds some times as many as can run, so that none of them waits
 * for a claim; while they are slow it holds none, so that other workers can have them.
 */
final class Slots {
    /** How many endings may be on their way before nothing more is claimed: two full commits. */
    private static final int UNSETTLED = 2 * Committers.BATCH;

    private final int concurrency;
    private final ThreadFactory threads;
    private final IntSupplier unsettled;

    private final BriefLock lock = new BriefLock();
    private final Condition roomy = lock.newCondition();
    private final ArrayDeque<Assignment> waiting = new ArrayDeque<>();
    private final Pace pace = new Pace();
    private int running;
    private long started;
    private long startedBefore;
    private boolean dry;
    private boolean closed;
    private volatile boolean idle = true;
    private volatile Thread idleWaiter = Thread.currentThread();

    /**
     * @param unsettled how many endings are on their way to the store
     */
    Slots(int concurrency, ThreadFactory threads, IntSupplier unsettled) {
        this.concurrency = concurrency;
        this.threads = threads;
        this.unsettled = unsettled;
    }

    /** How many leases are wanted now. */
    int room() {
        lock.lock();
        try {
            return closed ? 0 : free();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until a claim is worth it; false when there is no point in one any more. */
    boolean awaitRoom(BooleanSupplier over) throws InterruptedException {
        lock.lock();
        try {
            while (!closed && !over.getAsBoolean()) {
                if (free() >= worthwhile()) {
                    return true;
                }
                roomy.await();
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Lets the claimer that waits for room look again. */
    void recheck() {
        lock.lock();
        try {
            roomy.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Takes assignments on, and returns those that it cannot take because it is closed. */
    Collection<Assignment> take(List<Assignment> assignments) {
        var now = new ArrayList<Assignment>(assignments.size());
        lock.lock();
        try {
            if (closed) {
                return assignments;
            }
            dry = running < concurrency;
            for (var assignment : assignments) {
                if (running < concurrency) {
                    running++;
                    started++;
                    now.add(assignment);
                } else {
                    waiting.add(assignment);
                }
            }
            idle = running == 0;
        } finally {
            lock.unlock();
        }
        now.forEach(this::start);
        return List.of();
    }

    /**
     * Notes that a handler is through, and lets the next one begin.
     *
     * @param nanos how long it took; negative when it did not run
     */
    void ran(long nanos) {
        Assignment next;
        lock.lock();
        try {
            if (nanos >= 0) {
                pace.ran(nanos);
            }
            next = waiting.poll();
            if (next == null) {
                running--;
            } else {
                started++;
            }
            idle = running == 0;
            if (free() >= worthwhile()) {
                roomy.signal();
            }
        } finally {
            lock.unlock();
        }
        if (next != null) {
            start(next);
        } else if (idle) {
            LockSupport.unpark(idleWaiter);
        }
    }

    /**
     * What waits in vain: all of it when nothing could begin since the last time this was asked,
     * and otherwise what is more than handlers that have become slower are to have waiting.
     */
    Collection<Assignment> stranded() {
        lock.lock();
        try {
            boolean stuck = started == startedBefore && !waiting.isEmpty();
            startedBefore = started;
            if (stuck) {
                // Otherwise they would be prefetched again.
                pace.forget();
                return takeWaiting();
            }
            var tooMany = new ArrayList<Assignment>();
            while (waiting.size() > pace.ahead() * concurrency) {
                tooMany.add(waiting.removeLast());
            }
            return tooMany;
        } finally {
            lock.unlock();
        }
    }

    /** Forgets what waits and is lost. */
    void purge() {
        lock.lock();
        try {
            waiting.removeIf(Assignment::lost);
            roomy.signal();
        } finally {
            lock.unlock();
        }
    }

    /** Takes nothing any more, and returns what has not begun. */
    Collection<Assignment> close() {
        lock.lock();
        try {
            closed = true;
            roomy.signalAll();
            return takeWaiting();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no handler runs, so long at most, and says whether that is so. A caller that is
     * interrupted meanwhile has waited long enough.
     */
    boolean awaitIdle(Time time, long nanos) {
        idleWaiter = Thread.currentThread();
        long began = time.nanos();
        while (!idle && !Thread.currentThread().isInterrupted()) {
            long left = nanos - (time.nanos() - began);
            if (left <= 0) {
                break;
            }
            time.park(left);
        }
        return idle;
    }

    private List<Assignment> takeWaiting() {
        var taken = List.copyOf(waiting);
        waiting.clear();
        return taken;
    }

    private int free() {
        int prefetch = pace.ahead() * concurrency;
        int unfinished = running + waiting.size();
        int unpressed = concurrency + prefetch + UNSETTLED - unsettled.getAsInt();
        int most = Math.min(concurrency + prefetch - unfinished, unpressed);
        return Math.clamp(most, 0, (int) Limit.CLAIM.max());
    }

    /**
     * How much room makes a claim worth it. While handlers are quick, half of the prefetch, so that
     * claims are few and large; all of it when slots ran dry during the last claim anyway, because
     * then only a larger one helps.
     */
    private int worthwhile() {
        if (!pace.quick()) {
            return 1;
        }
        int prefetch = pace.ahead() * concurrency;
        return Math.min(dry ? prefetch : prefetch / 2, (int) Limit.CLAIM.max());
    }

    private void start(Assignment assignment) {
        threads.newThread(assignment).start();
    }
}
