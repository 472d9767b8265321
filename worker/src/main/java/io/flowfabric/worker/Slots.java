package io.flowfabric.worker;

import io.flowfabric.core.Limit;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Where assignments wait for a free slot, and how much room there is for more.
 *
 * <p>While handlers are quick it holds some times as many as can run, so that none of them waits
 * for a claim; while they are slow it holds none, so that other workers can have them.
 */
final class Slots {
    /** How many endings may be on their way before nothing more is claimed: two full commits. */
    private static final int UNSETTLED = 2 * Committers.BATCH;

    /** How many bytes of them. */
    private static final long UNSETTLED_BYTES = 2 * Chunks.BYTES;

    /** How long an assignment waits for a slot before another worker should have it. */
    static final long LONGEST_WAIT = Duration.ofSeconds(1).toNanos();

    private final int concurrency;
    private final HandlerThreads threads;
    private final Committers<Assignment> endings;
    private final Time time;

    private final BriefLock lock = new BriefLock();
    private final Condition roomy = lock.newCondition();
    private final ArrayDeque<Assignment> waiting = new ArrayDeque<>();
    private final Pace pace = new Pace();
    private int running;

    /** How often a slot was taken, freed or passed on. */
    private long moves;

    private boolean dry;
    private boolean closed;
    private volatile boolean idle = true;
    private volatile Thread idleWaiter = Thread.currentThread();

    /**
     * @param endings how endings go to the store: while many are on their way, nothing is claimed
     */
    Slots(int concurrency, HandlerThreads threads, Committers<Assignment> endings, Time time) {
        this.concurrency = concurrency;
        this.threads = threads;
        this.endings = endings;
        this.time = time;
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

    /**
     * Waits until a claim is worth it; false when there is no point in one any more. Where nothing
     * is prefetched a free slot waits for others as long as quick handlers take: if they have
     * become slow, none of them may end for hours.
     */
    boolean awaitRoom(BooleanSupplier over) throws InterruptedException {
        threads.pauseIfNone(over);
        long patience = Pace.QUICK;
        lock.lock();
        try {
            while (!closed && !over.getAsBoolean()) {
                int free = free();
                if (free >= worthwhile() || (free > 0 && patience <= 0)) {
                    return true;
                }
                if (free > 0 && pace.ahead(concurrency) == 0) {
                    patience = roomy.awaitNanos(patience);
                } else {
                    roomy.await();
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether a claimer that waits for room is about to go on. */
    boolean roomy() {
        lock.lock();
        try {
            int free = closed ? 0 : free();
            return free > 0 && (free >= worthwhile() || pace.ahead(concurrency) == 0);
        } finally {
            lock.unlock();
        }
    }

    /**
     * How often a slot was taken or freed, when no handler runs but so many that wait for time to
     * pass; {@link Service#BUSY} otherwise.
     */
    long movesAtRest(int asleep) {
        lock.lock();
        try {
            return running > asleep ? Service.BUSY : moves;
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

    /**
     * Takes assignments on, and returns those that it cannot take: all of them when it is closed,
     * and those with a clock that would have to wait.
     */
    Collection<Assignment> take(List<Assignment> assignments) {
        var now = new ArrayList<Assignment>(assignments.size());
        var unwanted = new ArrayList<Assignment>();
        lock.lock();
        try {
            if (closed) {
                return assignments;
            }
            dry = running < concurrency;
            for (var assignment : assignments) {
                pace.got(assignment.lease());
                if (running < concurrency) {
                    running++;
                    now.add(assignment);
                } else if (Pace.hasClock(assignment.lease())) {
                    unwanted.add(assignment);
                } else {
                    waiting.add(assignment);
                }
            }
            moves += now.size();
            idle = running == 0;
        } finally {
            lock.unlock();
        }
        for (int i = 0; i < now.size(); i++) {
            if (!threads.start(now.get(i))) {
                giveBack(now.subList(i, now.size()));
                break;
            }
        }
        return unwanted;
    }

    /** Notes how many nanoseconds a handler took, and passes its slot on. */
    void ran(long nanos) {
        passOn(nextAfter(nanos));
    }

    /** Passes on a slot whose handler did not run. */
    void slotFreed() {
        passOn(next());
    }

    private void passOn(@Nullable Assignment next) {
        if (next != null && !threads.start(next)) {
            giveBack(List.of(next));
        }
    }

    private @Nullable Assignment nextAfter(long nanos) {
        lock.lock();
        try {
            pace.ran(nanos);
            return next();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Assignment next() {
        lock.lock();
        try {
            var next = waiting.poll();
            moves++;
            if (next == null) {
                vacate(1);
            }
            int free = free();
            // The first one, because a claimer without any room waits until it is told.
            if (free == 1 || free >= worthwhile()) {
                roomy.signal();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    private void vacate(int count) {
        running -= count;
        moves += count;
        idle = running == 0;
        if (idle) {
            LockSupport.unpark(idleWaiter);
        }
    }

    /**
     * Gives back what has a slot and no thread, and what waits behind it: there is no thread for
     * that either.
     */
    private void giveBack(List<Assignment> unbegun) {
        unbegun.forEach(Assignment::release);
        takeWaiting().forEach(Assignment::release);
        lock.lock();
        try {
            vacate(unbegun.size());
            roomy.signal();
        } finally {
            lock.unlock();
        }
    }

    private List<Assignment> takeWaiting() {
        lock.lock();
        try {
            var taken = List.copyOf(waiting);
            waiting.clear();
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * What other workers should have: all that waits, once the first of it has waited for {@link
     * #LONGEST_WAIT}; before that, what exceeds the prefetch that the pace of now allows.
     */
    Collection<Assignment> stranded(long now) {
        lock.lock();
        try {
            if (left(now) <= 0) {
                // Without runs the pace allows no prefetch: so everything is returned below, and
                // nothing is fetched again until handlers are quick.
                pace.forget();
            }
            var tooMany = new ArrayList<Assignment>();
            while (waiting.size() > pace.ahead(concurrency)) {
                tooMany.add(waiting.removeLast());
            }
            return tooMany;
        } finally {
            lock.unlock();
        }
    }

    /** How many nanoseconds are left until what waits has waited for too long. */
    long left(long now) {
        lock.lock();
        try {
            var first = waiting.peek();
            return first == null ? Time.FAR : LONGEST_WAIT - first.age(now);
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

    /** Takes nothing any more, and forgets what waits for a slot. */
    void close() {
        lock.lock();
        try {
            closed = true;
            roomy.signalAll();
            waiting.clear();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no handler runs, so long at most, and says whether that is so. A caller that is
     * interrupted meanwhile has waited long enough.
     */
    boolean awaitIdle(long nanos) {
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

    private int free() {
        if (endings.unsettledBytes() >= UNSETTLED_BYTES) {
            return 0;
        }
        int prefetch = pace.ahead(concurrency);
        int unfinished = running + waiting.size();
        int unpressed = concurrency + prefetch + UNSETTLED - endings.unsettled();
        int most = Math.min(concurrency + prefetch - unfinished, unpressed);
        return Math.clamp(most, 0, (int) Limit.CLAIM.max());
    }

    /**
     * How much room makes a claim worth it. While handlers are quick, half of the prefetch, so that
     * claims are few and large; all of it when slots ran dry during the last claim anyway, because
     * then only a larger one helps. Half of the slots where nothing is prefetched.
     */
    private int worthwhile() {
        if (!pace.quick()) {
            return 1;
        }
        int prefetch = pace.ahead(concurrency);
        int wanted = prefetch == 0 ? concurrency / 2 : dry ? prefetch : prefetch / 2;
        return Math.clamp(wanted, 1, (int) Limit.CLAIM.max());
    }
}
