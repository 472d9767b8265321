package io.flowfabric.worker;

import io.flowfabric.core.store.Chunks;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;

/**
 * Where items wait for two committers. The first takes what is there; the second takes some when
 * that is a commit of its own, or when the first stays away.
 */
final class CommitQueue<T> {
    /** An item on its way. It belongs to one thread at a time. */
    static final class Queued<T> {
        final T item;
        final long bytes;

        /** Whether it is accounted for. */
        boolean settled;

        Queued(T item, long bytes) {
            this.item = item;
            this.bytes = bytes;
        }
    }

    /**
     * A committer that lets items queue up.
     *
     * @param many for how many it waits
     */
    private record Gathering(int many, Condition reached) {}

    /** After so long without the first committer the second takes what waits for it. */
    static final long ABSENCE = Duration.ofMillis(50).toNanos();

    private final BriefLock lock = new BriefLock();
    private final Condition work = lock.newCondition();
    private final Condition help = lock.newCondition();
    private final ArrayDeque<Queued<T>> queue = new ArrayDeque<>();
    private long moved;
    private long bytes;

    /** Those who would rather take many: a committer, or both. */
    private final List<Gathering> gatherings = new ArrayList<>();

    private volatile boolean closed;

    /** Puts an item at the end, unless it is too late for that, and says whether it has. */
    boolean add(Queued<T> item) {
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            putBack(List.of(item));
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Puts items at the end that were taken before, also when it is too late for others. */
    void putBack(List<Queued<T>> items) {
        lock.lock();
        try {
            if (queue.isEmpty()) {
                moved = System.nanoTime();
                help.signal();
            }
            queue.addAll(items);
            items.forEach(queued -> bytes += queued.bytes);
            work.signal();
            for (var gathering : gatherings) {
                if (queue.size() >= gathering.many) {
                    gathering.reached.signal();
                }
            }
            if (isFull()) {
                help.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more, and lets committers that wait go. */
    void close() {
        lock.lock();
        try {
            closed = true;
            gatherings.forEach(gathering -> gathering.reached.signal());
            work.signalAll();
            help.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Lets items queue up until there are so many, and not for longer than that. */
    void gather(int many, long nanos) {
        lock.lock();
        var gathering = new Gathering(many, lock.newCondition());
        try {
            gatherings.add(gathering);
            long left = nanos;
            while (queue.size() < many && left > 0 && !closed) {
                left = gathering.reached.awaitNanos(left);
            }
        } catch (InterruptedException unexpected) {
            Thread.currentThread().interrupt();
        } finally {
            gatherings.remove(gathering);
            lock.unlock();
        }
    }

    /** Whatever has queued up; nothing only when it is over. */
    List<Queued<T>> take() {
        lock.lock();
        try {
            while (queue.isEmpty() && !closed) {
                work.awaitUninterruptibly();
            }
            return batch();
        } finally {
            lock.unlock();
        }
    }

    /** What has queued up once it is too much for one, or has waited for too long. */
    List<Queued<T>> help() {
        lock.lock();
        try {
            while (!isFull() && !closed) {
                long absence = System.nanoTime() - moved;
                if (queue.isEmpty()) {
                    help.awaitUninterruptibly();
                } else if (absence < ABSENCE) {
                    help.awaitNanos(ABSENCE - absence);
                } else {
                    break;
                }
            }
            return batch();
        } catch (InterruptedException unexpected) {
            return List.of();
        } finally {
            lock.unlock();
        }
    }

    /** Whether what waits is a commit of its own. */
    private boolean isFull() {
        return queue.size() >= Committers.BATCH || bytes >= Chunks.BYTES;
    }

    private List<Queued<T>> batch() {
        var batch = new ArrayList<Queued<T>>(Math.min(queue.size(), Committers.BATCH));
        long taken = 0;
        for (var next = queue.peek(); next != null; next = queue.peek()) {
            if (!Chunks.fits(batch.size(), Committers.BATCH, taken, next.bytes)) {
                break;
            }
            taken += next.bytes;
            batch.add(queue.remove());
        }
        bytes -= taken;
        moved = System.nanoTime();
        return batch;
    }
}
