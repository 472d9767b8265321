package io.flowfabric.worker;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.engine.OutageLog;
import io.flowfabric.engine.QuietLogger;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;
import io.flowfabric.worker.CommitQueue.Queued;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
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

    private static final Logger LOG = QuietLogger.of(Committers.class);

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
    private final Logger log;
    private final OutageLog trouble;

    private final CommitQueue<T> queue = new CommitQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger unsettled = new AtomicInteger();
    private final AtomicLong unsettledBytes = new AtomicLong();
    private volatile Thread stopping = Thread.currentThread();

    /**
     * @param settled called after each commit, when fewer items are on their way
     */
    Committers(Commit<T> commit, Time time, String name, Runnable settled) {
        this(commit, time, name, settled, LOG);
    }

    Committers(Commit<T> commit, Time time, String name, Runnable settled, Logger log) {
        this.commit = commit;
        this.time = time;
        this.name = name;
        this.settled = settled;
        this.log = log;
        this.trouble =
                new OutageLog(log, time, "Commits of %s of %s".formatted(commit.items(), name));
    }

    /** How many items are on their way. */
    int unsettled() {
        return unsettled.get();
    }

    /** How many bytes they have. */
    long unsettledBytes() {
        return unsettledBytes.get();
    }

    /** Puts an item on its way, unless it is too late for that, and says whether it has. */
    boolean add(T item) {
        var queued = new Queued<>(item, commit.bytes(item), 0);
        // Counted first: what is on its way is waited for when it stops.
        unsettled.incrementAndGet();
        unsettledBytes.addAndGet(queued.bytes);
        if (queue.add(queued)) {
            return true;
        }
        settle(queued);
        return false;
    }

    @Override
    protected void begin() {
        threads.add(commits("-committer", queue::take));
        threads.add(commits("-second-committer", queue::help));
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
                log.warn(
                        "{} stopped before the store had answered {} {}. What was not written is"
                                + " repeated by another worker when the session ends; look for an"
                                + " outage of the store above.",
                        name,
                        unsettled.get(),
                        commit.items());
                break;
            }
            time.park(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        queue.close();
        for (var thread : threads) {
            LockSupport.unpark(thread);
            join(thread, GOODBYE);
        }
    }

    private Thread commits(String role, Supplier<List<Queued<T>>> source) {
        return daemon(name + role, () -> run(source));
    }

    /** Commits until it is over. */
    private void run(Supplier<List<Queued<T>>> source) {
        while (true) {
            try {
                var batch = source.get();
                if (batch.isEmpty()) {
                    return;
                }
                commit(batch);
            } catch (Throwable bug) {
                log.error("A committer of {} failed, and goes on.", commit.items(), bug);
                time.park(AGAIN.delay(0).toNanos());
            }
        }
    }

    /** Commits a batch, or loses it. Nothing that goes wrong on the way ends a committer. */
    private void commit(List<Queued<T>> batch) {
        try {
            commitOrSplit(batch);
        } catch (Throwable bug) {
            log.error("A committer lost {} {}, and goes on.", batch.size(), commit.items(), bug);
            batch.stream().filter(queued -> !queued.settled).forEach(each -> lose(each, bug));
            LockSupport.unpark(stopping);
        }
    }

    private void lose(Queued<T> queued, Throwable bug) {
        settle(queued);
        try {
            commit.lost(queued.item, bug);
        } catch (Throwable worse) {
            log.error("The loss of one of the {} could not be handled.", commit.items(), worse);
        }
    }

    private void settle(Queued<T> queued) {
        queued.settled = true;
        unsettled.decrementAndGet();
        unsettledBytes.addAndGet(-queued.bytes);
    }

    private void commitOrSplit(List<Queued<T>> batch) {
        var items = batch.stream().map(queued -> queued.item).toList();
        for (int failures = 0; ; failures++) {
            Set<T> unanswered;
            try {
                unanswered = commit.commit(items);
            } catch (Throwable e) {
                if (queue.isClosed()) {
                    return;
                }
                if (FlowFabricException.concernsRequest(e)) {
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

    /** Commits the halves of a batch that failed, so that what is wrong comes to be alone. */
    private void split(List<Queued<T>> batch, Throwable why) {
        int size = batch.size();
        if (size == 1) {
            var item = batch.getFirst().item;
            answered(batch, commit.failedAlone(item, why) ? Set.of(item) : Set.of());
            return;
        }
        log.warn("A commit of {} {} failed; it is split.", size, commit.items(), why);
        commit(batch.subList(0, size / 2));
        commit(batch.subList(size / 2, size));
    }

    private void answered(List<Queued<T>> batch, Set<T> unanswered) {
        var again = new ArrayList<Queued<T>>();
        for (var queued : batch) {
            if (unanswered.contains(queued.item)) {
                again.add(queued);
            } else {
                settle(queued);
            }
        }
        if (!again.isEmpty()) {
            later(again);
        }
        settled.run();
        if (unsettled.get() == 0) {
            LockSupport.unpark(stopping);
        }
    }

    /** Tries single items again after a while, without holding up all the others. */
    private void later(List<Queued<T>> unanswered) {
        int failures = unanswered.getFirst().repeats;
        var again =
                unanswered.stream()
                        .map(queued -> new Queued<>(queued.item, queued.bytes, queued.repeats + 1))
                        .toList();
        daemon(
                name + "-again",
                () -> {
                    time.park(AGAIN.delay(failures).toNanos());
                    queue.putBack(again);
                });
    }
}
