package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.Contended;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Repeats what Postgres rolled back as a whole, a few times, each after a longer wait.
 *
 * <p>The waits are random, because those who met in a deadlock would otherwise meet again.
 */
final class Retries {
    /** Passes the time between two tries. */
    @FunctionalInterface
    interface Pause {
        void pass(Duration time);
    }

    private static final Logger log = LoggerFactory.getLogger(Retries.class);

    static final int TRIES = 5;
    private static final Duration FIRST_WAIT = Duration.ofMillis(5);
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final Pause pause;

    Retries() {
        this(time -> LockSupport.parkNanos(time.toNanos()));
    }

    Retries(Pause pause) {
        this.pause = pause;
    }

    /**
     * Runs the work until it is not rolled back.
     *
     * @param what named in the error
     * @throws Contended when it was rolled back every time
     */
    <T extends @Nullable Object> T run(String what, Supplier<? extends T> work) {
        for (int tried = 1; ; tried++) {
            try {
                return work.get();
            } catch (RolledBack e) {
                if (tried == TRIES || Thread.currentThread().isInterrupted()) {
                    throw contended(what, e);
                }
                log.debug("{} was rolled back by Postgres, try {} of {}", what, tried, TRIES, e);
                pause.pass(wait(tried));
            }
        }
    }

    static Contended contended(String what, Throwable cause) {
        var contended = new Contended(what, RETRY_AFTER);
        contended.initCause(cause);
        return contended;
    }

    /** Between half and the whole of a wait that doubles. */
    private static Duration wait(int tried) {
        long whole = FIRST_WAIT.toNanos() << (tried - 1);
        return Duration.ofNanos(ThreadLocalRandom.current().nextLong(whole / 2, whole));
    }
}
