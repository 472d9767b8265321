package io.flowfabric.worker;

import io.flowfabric.core.policy.Backoff;
import io.flowfabric.engine.QuietLogger;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/**
 * What got no answer from the store, tried again until it does.
 *
 * <p>A store says the same when it cannot be used now and when it cannot take one item now, because
 * the row of that is locked or cannot be read. So a batch that fails is tried in parts from then
 * on, until what fails is alone; and by a thread of its own, so that it holds up no others. The
 * thread is there for as long as there is something to repeat.
 */
final class CommitRepeats<T> extends Service {
    private static final Logger LOG = QuietLogger.of(CommitRepeats.class);

    /** Many, because each round of them may last as long as a store waits for a lock. */
    private static final int PARTS = 16;

    /** How long the thread gets for a last try. */
    private static final Duration GOODBYE = Duration.ofSeconds(1);

    private final String name;
    private final Time time;
    private final Backoff backoff;
    private final UnaryOperator<List<T>> attempt;
    private final Consumer<List<T>> abandoned;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<List<T>> batches = new ArrayDeque<>();
    private @Nullable Thread thread;

    /**
     * @param backoff how long to wait after failures in a row
     * @param attempt tries a batch, and returns what of it got no answer again
     * @param abandoned hears what is not tried any more because this has stopped
     */
    CommitRepeats(
            String name,
            Time time,
            Backoff backoff,
            UnaryOperator<List<T>> attempt,
            Consumer<List<T>> abandoned) {
        this.name = name;
        this.time = time;
        this.backoff = backoff;
        this.attempt = attempt;
        this.abandoned = abandoned;
    }

    /**
     * Takes on a batch that got no answer.
     *
     * @throws OutOfMemoryError when there is no thread to repeat it, and it is not taken on
     */
    void add(List<T> batch) {
        lock.lock();
        try {
            if (thread == null) {
                thread = daemon(name, this::run);
            }
            batches.add(batch);
        } finally {
            lock.unlock();
        }
    }

    @Override
    protected void begin() {
        // There is nothing to repeat yet.
    }

    @Override
    protected void end() {
        Thread last;
        lock.lock();
        try {
            last = thread;
        } finally {
            lock.unlock();
        }
        if (last != null) {
            LockSupport.unpark(last);
            join(last, GOODBYE);
        }
    }

    private void run() {
        int failures = 0;
        for (var batch = next(); !batch.isEmpty(); batch = next()) {
            var left = again(batch);
            if (left.isEmpty()) {
                failures = 0;
                continue;
            }
            if (!running()) {
                abandoned.accept(left);
                // The store gets no second chance for each of the others.
                for (var next = next(); !next.isEmpty(); next = next()) {
                    abandoned.accept(next);
                }
                return;
            }
            addParts(left);
            time.backOff(backoff.delay(failures++), () -> !running());
        }
    }

    /** The batch that has waited longest. Without any, none, and the thread ends. */
    private List<T> next() {
        lock.lock();
        try {
            if (batches.isEmpty()) {
                thread = null;
                return List.of();
            }
            return batches.remove();
        } finally {
            lock.unlock();
        }
    }

    private List<T> again(List<T> batch) {
        try {
            return attempt.apply(batch);
        } catch (Throwable bug) {
            LOG.error("{} failed, and goes on.", name, bug);
            return batch;
        }
    }

    private void addParts(List<T> batch) {
        int size = batch.size();
        int part = Math.ceilDiv(size, PARTS);
        for (int from = 0; from < size; from += part) {
            add(batch.subList(from, Math.min(from + part, size)));
        }
    }
}
