package io.flowfabric.bench.contender;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Sees executions finish, and takes the time of the last one. */
final class FinishLine {
    /** How long nothing may finish before the rest counts as lost. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Duration PAUSE = Duration.ofMillis(1);

    private final int expected;
    private final long began = System.nanoTime();
    private final AtomicInteger finished = new AtomicInteger();
    private final CountDownLatch complete = new CountDownLatch(1);
    private volatile long lastAt;

    /** The clock starts with this call. */
    FinishLine(int expected) {
        this.expected = expected;
    }

    void finished(int count) {
        if (finished.addAndGet(count) == expected) {
            lastAt = System.nanoTime();
            complete.countDown();
        }
    }

    boolean complete() {
        return complete.getCount() == 0;
    }

    /** Waits a moment, or until everything is finished. */
    void pause() throws InterruptedException {
        complete.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Waits for the last one. */
    Duration await() throws InterruptedException {
        int before = -1;
        while (!complete.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            int now = finished.get();
            if (now == before) {
                throw new IllegalStateException(
                        "%,d of %,d finished, and then nothing for %s."
                                .formatted(now, expected, PATIENCE));
            }
            before = now;
        }
        return Duration.ofNanos(lastAt - began);
    }
}
