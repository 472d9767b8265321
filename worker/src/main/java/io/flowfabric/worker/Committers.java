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
 *
 * <p>There is one exception. Handlers that wait for their answers are answered together, and many
 * of them have the next item at once. The quickest would get a commit to itself, and all others
 * wait for the end of that one; so a committer gives them a moment that is short beside a commit.
 */
final class Committers<T> extends Service {
    /** The most items in one commit. */
    static final int BATCH = 256;

    private static final Logger LOG = QuietLogger.of(Committers.class);

    /** What part of the time of a commit is given to those who were answered by it. */
    private static final int GATHERING = 4;

    /** How long they get at most: a commit that took long was held up by something else. */
    private static final long LONGEST_GATHERING = Duration.ofMillis(5).toNanos();

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
    private final CommitRepeats<Queued<T>> repeats;

    private final CommitQueue<T> queue = new CommitQueue<>();
    private final List<Thread> threads = new ArrayList<>();
    private final AtomicInteger unsettled = new AtomicInteger();
    private final AtomicLong unsettledBytes = new AtomicLong();
    private final AtomicLong batches = new AtomicLong();
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
        var what = commit.items() + " of " + name;
        this.trouble = new OutageLog(log, time, "Commits of " + what);
        var again = new OutageLog(log, time, "Repeated commits of " + what);
        this.repeats =
                new CommitRepeats<>(
                        name + "-repeats",
                        time,
                        AGAIN,
                        batch -> attempt(batch, again),
                        this::abandon);
    }

    /** How many items are on their way. */
    int unsettled() {
        return unsettled.get();
    }

    /** How many bytes they have. */
    long unsettledBytes() {
        return unsettledBytes.get();
    }

    /** It is at rest when nothing is on its way. */
    @Override
    protected long rested() {
        long taken = batches.get();
        return unsettled.get() == 0 ? taken : BUSY;
    }

    /** Puts an item on its way, unless it is too late for that, and says whether it has. */
    boolean add(T item) {
        var queued = new Queued<>(item, commit.bytes(item));
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
        repeats.start();
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
        repeats.stop();
    }

    private Thread commits(String role, Supplier<List<Queued<T>>> source) {
        return daemon(name + role, () -> run(source));
    }

    /** Commits until it is over. */
    private void run(Supplier<List<Queued<T>>> source) {
        int failures = 0;
        while (true) {
            try {
                var batch = source.get();
                if (batch.isEmpty()) {
                    return;
                }
                batches.incrementAndGet();
                long began = time.nanos();
                var left = attempt(batch, trouble);
                if (!left.isEmpty()) {
                    repeat(left);
                }
                failures = left.size() < batch.size() ? 0 : failures + 1;
                if (batch.size() > 1 && failures == 0 && commit.leadsToMore(items(batch))) {
                    long moment = (time.nanos() - began) / GATHERING;
                    queue.gather(batch.size(), Math.min(moment, LONGEST_GATHERING));
                }
            } catch (Throwable bug) {
                log.error("A committer of {} failed, and goes on.", commit.items(), bug);
                failures++;
            }
            if (failures > 0) {
                time.backOff(AGAIN.delay(failures - 1), queue::isClosed);
            }
        }
    }

    private static <T> List<T> items(List<Queued<T>> batch) {
        return batch.stream().map(queued -> queued.item).toList();
    }

    private void repeat(List<Queued<T>> unanswered) {
        if (queue.isClosed()) {
            abandon(unanswered);
            return;
        }
        try {
            repeats.add(unanswered);
        } catch (OutOfMemoryError noThread) {
            queue.putBack(unanswered);
        }
    }

    /**
     * Commits a batch, or loses it, and returns what of it got no answer. Nothing that goes wrong
     * on the way ends a committer.
     */
    private List<Queued<T>> attempt(List<Queued<T>> batch, OutageLog outages) {
        try {
            return commitOrSplit(batch, outages);
        } catch (Throwable bug) {
            log.error("A committer lost {} {}, and goes on.", batch.size(), commit.items(), bug);
            batch.stream().filter(queued -> !queued.settled).forEach(each -> lose(each, bug));
            LockSupport.unpark(stopping);
            return List.of();
        }
    }

    /** Those who wait for an answer must not wait for ever. */
    private void abandon(List<Queued<T>> unanswered) {
        for (var queued : unanswered) {
            try {
                commit.abandoned(queued.item);
            } catch (Throwable bug) {
                log.error("One of the {} could not be given up.", commit.items(), bug);
            }
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

    private List<Queued<T>> commitOrSplit(List<Queued<T>> batch, OutageLog outages) {
        Set<T> unanswered;
        try {
            unanswered = commit.commit(items(batch));
        } catch (Throwable e) {
            if (!FlowFabricException.concernsRequest(e)) {
                outages.failed(e);
                return batch;
            }
            return queue.isClosed() ? batch : split(batch, outages, e);
        }
        outages.worked();
        return answered(batch, unanswered);
    }

    /** Commits the halves of a batch that failed, so that what is wrong comes to be alone. */
    private List<Queued<T>> split(List<Queued<T>> batch, OutageLog outages, Throwable why) {
        int size = batch.size();
        if (size == 1) {
            var item = batch.getFirst().item;
            return answered(batch, commit.failedAlone(item, why) ? Set.of(item) : Set.of());
        }
        log.warn("A commit of {} {} failed; it is split.", size, commit.items(), why);
        var left = new ArrayList<>(attempt(batch.subList(0, size / 2), outages));
        left.addAll(attempt(batch.subList(size / 2, size), outages));
        return left;
    }

    /** Accounts for what was answered, and returns the others. */
    private List<Queued<T>> answered(List<Queued<T>> batch, Set<T> unanswered) {
        var left = new ArrayList<Queued<T>>();
        for (var queued : batch) {
            if (unanswered.contains(queued.item)) {
                left.add(queued);
            } else {
                settle(queued);
            }
        }
        settled.run();
        if (unsettled.get() == 0) {
            LockSupport.unpark(stopping);
        }
        return left;
    }
}
