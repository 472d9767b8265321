package io.flowfabric.worker;

import io.flowfabric.core.Advice;
import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Brings endings to the store, many in one commit.
 *
 * <p>A committer takes what has queued up during its last commit, and never waits for more: under
 * load commits grow by themselves, and without load an ending is on its way at once. A second one
 * helps when a full commit waits, or when the first is held up; two that always shared the queue
 * would make twice the commits, for nothing. An ending that got no answer is repeated unchanged,
 * for as long as it takes: that is safe, and giving up is not.
 */
final class Committers extends Service {
    /** The most endings in one commit. */
    static final int BATCH = 256;

    private static final Logger LOG = LoggerFactory.getLogger(Committers.class);

    /** After so long without the first committer the second takes what waits for it. */
    private static final long ABSENCE = Duration.ofMillis(50).toNanos();

    /** How long stopping waits for a store that does not answer. The session would end anyway. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final Backoff AGAIN =
            Backoff.exponential(Duration.ofMillis(10), Duration.ofSeconds(5), 2);

    private final Leases leases;
    private final EngineMetrics metrics;
    private final Time time;
    private final String name;
    private final Runnable settled;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition work = lock.newCondition();
    private final Condition help = lock.newCondition();
    private final ArrayDeque<Assignment> queue = new ArrayDeque<>();
    private final List<Thread> threads = new ArrayList<>();
    private long moved;
    private final AtomicInteger unsettled = new AtomicInteger();
    private volatile boolean closing;
    private volatile Thread stopping = Thread.currentThread();

    /**
     * @param settled called after each commit, when fewer endings are on their way
     */
    Committers(Leases leases, EngineMetrics metrics, Time time, String name, Runnable settled) {
        this.leases = leases;
        this.metrics = metrics;
        this.time = time;
        this.name = name;
        this.settled = settled;
    }

    /** How many endings are on their way. */
    int unsettled() {
        return unsettled.get();
    }

    /** Puts an ending on its way. */
    void add(Assignment assignment) {
        unsettled.incrementAndGet();
        enqueue(List.of(assignment));
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
                LOG.warn("{} endings were left without an answer.", unsettled.get());
                break;
            }
            time.park(left);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        closing = true;
        lock.lock();
        try {
            work.signalAll();
            help.signalAll();
        } finally {
            lock.unlock();
        }
        for (var thread : threads) {
            LockSupport.unpark(thread);
            join(thread, PATIENCE);
        }
    }

    private void enqueue(List<Assignment> assignments) {
        lock.lock();
        try {
            if (queue.isEmpty()) {
                moved = System.nanoTime();
                help.signal();
            }
            queue.addAll(assignments);
            work.signal();
            if (queue.size() >= BATCH) {
                help.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private Thread commits(String role, Supplier<List<Assignment>> source) {
        return Thread.ofVirtual()
                .name(name + role)
                .start(
                        () -> {
                            for (var batch = source.get(); !batch.isEmpty(); batch = source.get()) {
                                commit(batch);
                            }
                        });
    }

    /** Whatever has queued up; nothing only when it is over. */
    private List<Assignment> take() {
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
    private List<Assignment> help() {
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

    private List<Assignment> batch() {
        var batch = new ArrayList<Assignment>(Math.min(queue.size(), BATCH));
        while (batch.size() < BATCH && !queue.isEmpty()) {
            batch.add(queue.remove());
        }
        moved = System.nanoTime();
        return batch;
    }

    private void commit(List<Assignment> batch) {
        var endings = new ArrayList<Ending>(batch.size());
        for (var assignment : batch) {
            endings.add(assignment.ending());
        }
        for (int failures = 0; ; failures++) {
            List<Answer<Ended>> answers;
            try {
                answers = leases.end(endings);
            } catch (RuntimeException e) {
                if (closing) {
                    return;
                }
                LOG.warn("A commit of {} endings failed; it is repeated.", batch.size(), e);
                time.park(AGAIN.delay(failures).toNanos());
                continue;
            }
            count(batch, answers);
            answered(batch, answers);
            return;
        }
    }

    /** The store does not say which lanes they were of; who brought them knows. */
    private void count(List<Assignment> batch, List<Answer<Ended>> answers) {
        record Way(Lane lane, Transition transition) {}
        var counts = new HashMap<Way, Integer>();
        for (int i = 0; i < batch.size(); i++) {
            if (answers.get(i) instanceof Answer.Done<Ended>(var ended)) {
                counts.merge(new Way(batch.get(i).lane(), ended.transition()), 1, Integer::sum);
            }
        }
        counts.forEach((way, count) -> metrics.attempted(way.lane, way.transition, count));
    }

    private void answered(List<Assignment> batch, List<Answer<Ended>> answers) {
        var unanswered = new ArrayList<Assignment>(0);
        for (int i = 0; i < batch.size(); i++) {
            var assignment = batch.get(i);
            if (answers.get(i) instanceof Answer.Refused<Ended>(var refusal)
                    && !isFinal(assignment, refusal)) {
                unanswered.add(assignment);
            } else {
                assignment.settled();
            }
        }
        int left = unsettled.addAndGet(unanswered.size() - batch.size());
        if (!unanswered.isEmpty()) {
            later(unanswered);
        }
        settled.run();
        if (left == 0) {
            LockSupport.unpark(stopping);
        }
    }

    private static boolean isFinal(Assignment assignment, FlowFabricException refusal) {
        if (refusal.advice() == Advice.REPEAT_LATER) {
            LOG.warn("The end of {} got no answer; it is repeated.", assignment, refusal);
            return false;
        }
        if (refusal instanceof LeaseLost) {
            LOG.info("The end of {} came too late: {}", assignment, refusal.getMessage());
        } else {
            LOG.error("The end of {} was refused.", assignment, refusal);
        }
        return true;
    }

    /** Tries single endings again after a while, without holding up all the others. */
    private void later(List<Assignment> unanswered) {
        int failures = unanswered.getFirst().repeats;
        unanswered.forEach(assignment -> assignment.repeats++);
        Thread.ofVirtual()
                .name(name + "-again")
                .start(
                        () -> {
                            time.park(AGAIN.delay(failures).toNanos());
                            enqueue(unanswered);
                        });
    }
}
