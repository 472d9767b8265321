package io.flowfabric.worker;

import io.flowfabric.core.policy.Backoff;
import io.flowfabric.engine.OutageLog;
import io.flowfabric.engine.QuietLogger;
import io.flowfabric.engine.Time;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Threads for handlers, one for each run; and a pause where none can be had. */
final class HandlerThreads {
    private static final Logger LOG = QuietLogger.of(HandlerThreads.class);

    private static final Backoff AGAIN =
            Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(5), 2);

    private final ThreadFactory threads;
    private final Time time;
    private final OutageLog trouble;

    /** How often in a row there was none. */
    private final AtomicInteger failures = new AtomicInteger();

    HandlerThreads(ThreadFactory threads, Time time) {
        this.threads = threads;
        this.time = time;
        this.trouble = new OutageLog(LOG, time, "Starts of threads for handlers");
    }

    /** Runs something in a thread of its own, and says whether there was one. */
    boolean start(Runnable run) {
        try {
            threads.newThread(run).start();
        } catch (Throwable noThread) {
            failures.incrementAndGet();
            trouble.failed(noThread);
            return false;
        }
        if (failures.get() > 0) {
            failures.set(0);
            trouble.worked();
        }
        return true;
    }

    /** Waits for a while if there was no thread the last time, the longer the more often so. */
    void pauseIfNone(BooleanSupplier over) {
        int count = failures.get();
        if (count > 0) {
            time.backOff(AGAIN.delay(count - 1), over);
        }
    }
}
