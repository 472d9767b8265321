package io.flowfabric.worker;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.engine.OutageLog;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Brings what handlers say to the store, many in one commit.
 *
 * <p>A committer takes what has queued up during its last commit, and never waits for more: under
 * load commits grow by themselves, and without load an item is on its way at once. A second one
 * helps when a full commit waits, or when the first is held up; two that always shared the queue
 * would make twice the commits, for nothing.
 */
final class Committers<T> extends Service {
    /** The most items in one commit. */
    static final int BATCH = 256;

    /** How a batch is brought to the store. */
    interface Commit<T> {
        /** What the items are, for the log. */
        String items();

        /**
         * Brings a batch to the store, and returns the items that got no answer: they are repeated
         * after a while. When it throws because the store cannot be used now, all of them are
         * repeated, before any other batch; when it throws anything else, the batch is split until
         * those that it is about are alone.
         */
        Set<T> commit(List<T> batch);

        /**
         * Hears that an item failed alone, and says whether it is tried again after a while,
         * perhaps as something else.
         */
        boolean failedAlone(T item, Throwable why);
    }

    /** An item, and how often the store could not answer it. */
    private record Queued<T>(T item, int repeats) {}

    private static final Logger LOG = LoggerFactory.getLogger(Committers.class);

    /** After so long without the first committer the second takes what waits for it. */
    private static final long ABSENCE = Duration.ofMillis(50).toNanos();

    /** How long stopping waits for a store that does not answer. The session would end anyway. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** How long a thread gets to end once there is nothing left for it to do. */
    private static final Duration GOODBYE = Duration.ofSeconds(1);

    private static final Backoff AGAIN =
            Backoff.exponential(Duration.ofMillis(10), Duration.ofSeconds(5), 2);

    private final Commit<T> commit;
    private final Time time;
    private final String name;
    private final Runnable settled;
    private final OutageLog trouble;

    private final BriefLock lock = new BriefLock();
    private final Condition work = lock.newCondition();
    private final Condition help = lock.newCondition();
    private final ArrayDeque<Queued<T>> queue = new ArrayDeque<>();
    private final List<Thread> threads = new ArrayList<>();
    private long moved;
    private final AtomicInteger unsettled = new AtomicInteger();
    private volatile boolean closing;
    private volatile Thread stopping = Thread.currentThread();

    /**
     * @param settled called after each commit, when fewer items are on their way
     */
    Committers(Commit<T> commit, Time time, String name, Runnable settled) {
        this.commit = commit;
        this.time = time;
        this.name = name;
        this.settled = settled;
        this.trouble =
                new OutageLog(LOG, time, "Commits of %s of %s".formatted(commit.items(), name));
    }

    /** How many items are on their way. */
    int unsettled() {
        return unsettled.get();
    }

    /** Puts an item on its way, unless it is too late for that, and says whether it has. */
    boolean add(T item) {
        lock.lock();
        try {
            if (closing) {
                return false;
            }
            unsettled.incrementAndGet();
            enqueue(List.of(new Queued<>(item, 0)));
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    protected void begin() {
        threads.add(commits("-committer", this::take));
        threads.add(commits("-second-committer", this::help));
    }

    @Override
    protected void end() {
        stopping = Thread.currentThread();
        long began = time.nanos();
        // An interrupted thread cannot park; it is interrupted again when this is over.
        boolean interrupted = false;
        while (unsettled.get() > 0) {
            interrupted |= Thread.interrupted();
            long left = PATIENCE.toNanos() - (time.nanos() - began);
            if (left <= 0) {
                LOG.warn("{} {} were left without an answer.", unsettled.get(), commit.items());
                break;
            }
            time.park(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        lock.lock();
        try {
            closing = true;
            work.signalAll();
            help.signalAll();
        } finally {
            lock.unlock();
        }
        for (var thread : threads) {
            LockSupport.unpark(thread);
            join(thread, GOODBYE);
        }
    }

    private void enqueue(List<Queued<T>> items) {
        lock.lock();
        try {
            if (queue.isEmpty()) {
                moved = System.nanoTime();
                help.signal();
            }
            queue.addAll(items);
            work.signal();
            if (queue.size() >= BATCH) {
                help.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private Thread commits(String role, Supplier<List<Queued<T>>> source) {
        return daemon(name + role, () -> run(source));
    }

    /** Commits until it is over. Nothing that goes wrong on the way ends it. */
    private void run(Supplier<List<Queued<T>>> source) {
        for (int failures = 0; ; failures++) {
            try {
                for (var batch = source.get(); !batch.isEmpty(); batch = source.get()) {
                    commit(batch);
                    failures = 0;
                }
                return;
            } catch (Throwable bug) {
                LOG.error("A committer of {} failed, and goes on.", commit.items(), bug);
                time.park(AGAIN.delay(failures).toNanos());
            }
        }
    }

    /** Whatever has queued up; nothing only when it is over. */
    private List<Queued<T>> take() {
        lock.lock();
        try {
            while (queue.isEmpty() && !closing) {
                work.awaitUninterruptibly();
            }
            return batch();
        } finally {
            lock.unlock();
        }
    }

    /** What has queued up once it is too much for one, or has waited for too long. */
    private List<Queued<T>> help() {
        lock.lock();
        try {
            while (queue.size() < BATCH && !closing) {
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

    private List<Queued<T>> batch() {
        var batch = new ArrayList<Queued<T>>(Math.min(queue.size(), BATCH));
        while (batch.size() < BATCH && !queue.isEmpty()) {
            batch.add(queue.remove());
        }
        moved = System.nanoTime();
        return batch;
    }

    private void commit(List<Queued<T>> batch) {
        var items = batch.stream().map(Queued::item).toList();
        for (int failures = 0; ; failures++) {
            Set<T> unanswered;
            try {
                unanswered = commit.commit(items);
            } catch (Throwable e) {
                if (closing) {
                    return;
                }
                if (aboutItems(e)) {
                    split(batch, e);
                    return;
                }
                trouble.failed(e);
                time.park(AGAIN.delay(failures).toNanos());
                continue;
            }
            trouble.worked();
            answered(batch, unanswered);
            return;
        }
    }

    /**
     * Whether a call failed because of what it was given, and not because the store cannot be used
     * now. What nobody has foreseen is about the items too: alone, they harm no others.
     */
    static boolean aboutItems(Throwable failure) {
        return switch (failure) {
            case Unavailable nobodyCould -> false;
            case FlowFabricException known -> known.advice() != Advice.REPEAT_LATER;
            default -> true;
        };
    }

    /** Commits the halves of a batch that failed, so that what is wrong comes to be alone. */
    private void split(List<Queued<T>> batch, Throwable why) {
        int size = batch.size();
        if (size == 1) {
            var item = batch.getFirst().item;
            answered(batch, commit.failedAlone(item, why) ? Set.of(item) : Set.of());
            return;
        }
        LOG.warn("A commit of {} {} failed; it is split.", size, commit.items(), why);
        commit(batch.subList(0, size / 2));
        commit(batch.subList(size / 2, size));
    }

    private void answered(List<Queued<T>> batch, Set<T> unanswered) {
        int left = unsettled.addAndGet(unanswered.size() - batch.size());
        if (!unanswered.isEmpty()) {
            later(batch.stream().filter(queued -> unanswered.contains(queued.item)).toList());
        }
        settled.run();
        if (left == 0) {
            LockSupport.unpark(stopping);
        }
    }

    /** Tries single items again after a while, without holding up all the others. */
    private void later(List<Queued<T>> unanswered) {
        int failures = unanswered.getFirst().repeats;
        var again =
                unanswered.stream()
                        .map(queued -> new Queued<>(queued.item, queued.repeats + 1))
                        .toList();
        daemon(
                name + "-again",
                () -> {
                    time.park(AGAIN.delay(failures).toNanos());
                    enqueue(again);
                });
    }
}
