package io.flowfabric.engine;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waiting, in real time, for what other threads are about to do. */
public final class Eventually {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private Eventually() {}

    /** Returns once it is so. */
    public static void eventually(String what, BooleanSupplier condition) {
        eventually(what, condition, () -> LockSupport.parkNanos(200_000));
    }

    /** Returns once it is so, and lets time pass until then. */
    public static void eventually(ManualTime time, String what, BooleanSupplier condition) {
        eventually(what, condition, time::step);
    }

    /** Takes so long, as work does. */
    public static void pause(Duration length) {
        long until = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void eventually(String what, BooleanSupplier condition, Runnable meanwhile) {
        long until = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("waited in vain: " + what);
            }
            meanwhile.run();
        }
    }
}
