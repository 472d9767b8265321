package io.flowfabric.bench.contender;

import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The runs of the handlers of another system, counted for each execution.
 *
 * <p>The clock begins with the first handler, so that what a system does before it looks for work
 * the first time is not held against it.
 */
final class HandlerRuns {
    /** How long nothing may happen before the rest counts as lost. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofMillis(2);

    private final AtomicIntegerArray runs;
    private final AtomicInteger begun = new AtomicInteger();
    private final AtomicLong firstAt = new AtomicLong();
    private final CountDownLatch all;

    /** Asks the tables of the system whether all that ran is recorded as done. */
    interface Recorded {
        boolean all() throws SQLException;
    }

    HandlerRuns(int executions) {
        runs = new AtomicIntegerArray(executions);
        all = new CountDownLatch(executions);
    }

    void ran(int nth) {
        if (begun.getAndIncrement() == 0) {
            firstAt.set(System.nanoTime());
        }
        runs.incrementAndGet(nth);
        all.countDown();
    }

    /** Waits until every handler has run, and then until all of it is recorded. */
    Duration await(Recorded recorded) throws SQLException, InterruptedException {
        int before = -1;
        while (!all.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            int now = begun.get();
            if (now == before) {
                throw new IllegalStateException(
                        "%,d of %,d ran, and then nothing for %s."
                                .formatted(now, runs.length(), PATIENCE));
            }
            before = now;
        }
        var pause = new CountDownLatch(1);
        long ranAt = System.nanoTime();
        while (!recorded.all()) {
            if (System.nanoTime() - ranAt > PATIENCE.toNanos()) {
                throw new IllegalStateException(
                        "All %,d ran, and not all were recorded within %s."
                                .formatted(runs.length(), PATIENCE));
            }
            pause.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        }
        return Duration.ofNanos(System.nanoTime() - firstAt.get());
    }

    /**
     * Makes sure that each execution ran once.
     *
     * @throws IllegalStateException when one did not
     */
    void verify(String system) {
        for (int nth = 0; nth < runs.length(); nth++) {
            if (runs.get(nth) != 1) {
                throw new IllegalStateException(
                        "%s ran execution %d %d times.".formatted(system, nth, runs.get(nth)));
            }
        }
    }
}
