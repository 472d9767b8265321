package io.flowfabric.engine;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What the log is told of something that is repeated until it succeeds: a warning with its cause
 * when it begins to fail, and how often it failed when that is over. A failure of another kind than
 * those before it is a warning, too; all others are told at debug.
 */
public final class OutageLog {
    private final Logger log;
    private final Time time;
    private final String what;
    private final AtomicInteger failures = new AtomicInteger();
    private final Set<Class<?>> kinds = ConcurrentHashMap.newKeySet();
    private volatile long began;

    /**
     * @param log a {@link QuietLogger}, where the thread that uses this must not end by it
     * @param what what is repeated, in the plural: "the heartbeats of a session"
     */
    public OutageLog(Logger log, Time time, String what) {
        this.log = log;
        this.time = time;
        this.what = what;
    }

    /** Tells of a failure. */
    public void failed(Throwable failure) {
        if (isNews(failure)) {
            log.warn("{} fail; they are repeated until they succeed.", what, failure);
        } else {
            log.debug("{} failed {} times by now.", what, failures.get(), failure);
        }
    }

    /** Counts a failure that the caller tells of, and says whether it is worth a warning. */
    boolean isNews(Throwable failure) {
        if (failures.getAndIncrement() == 0) {
            began = time.nanos();
        }
        return kinds.add(failure.getClass());
    }

    /** Tells of a success, if it is one after failures. Until then it costs nothing. */
    public void worked() {
        if (failures.get() == 0) {
            return;
        }
        int count = failures.getAndSet(0);
        if (count > 0) {
            kinds.clear();
            var took = Duration.ofNanos(time.nanos() - began);
            log.info("{} succeed again, after {} failures in {}.", what, count, took);
        }
    }
}
