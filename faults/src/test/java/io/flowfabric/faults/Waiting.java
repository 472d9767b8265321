package io.flowfabric.faults;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting, in real time, for what other threads and processes are about to do. */
final class Waiting {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LOOK_EVERY = Duration.ofMillis(30);

    private Waiting() {}

    /** Returns once it is so. */
    static void until(String what, BooleanSupplier condition) {
        until(what, PATIENCE, condition);
    }

    static void until(String what, Duration patience, BooleanSupplier condition) {
        long began = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - began > patience.toNanos()) {
                throw new AssertionError("waited in vain for %s: %s".formatted(patience, what));
            }
            LockSupport.parkNanos(LOOK_EVERY.toNanos());
        }
    }

    /** Takes so long, as work does, whether or not somebody interrupts it. */
    static void pause(Duration length) {
        long until = System.nanoTime() + length.toNanos();
        boolean interrupted = false;
        for (long left = length.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
