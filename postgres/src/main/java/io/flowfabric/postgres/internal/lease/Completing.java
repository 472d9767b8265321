package io.flowfabric.postgres.internal.lease;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The statements that end leases, the cheapest first; each one does what those before it do.
 *
 * <p>One that is not made for most of a batch leaves it to the last, and for some batches the next
 * one is tried first.
 */
public enum Completing {
    /** For completed work with small results that counts against nothing and has no timers. */
    PLAIN("complete"),

    /** For the same, where it counts against something. */
    COUNTED("complete_counted"),

    /** For every ending of every lease. */
    ANY("end");

    private static final int HOLDS = 32;

    private final String statement;

    Completing(String statement) {
        this.statement = statement;
    }

    String statement() {
        return statement;
    }

    private Completing next() {
        return this == PLAIN ? COUNTED : ANY;
    }

    /** Which one to begin with, from what the last ones did. */
    static final class Memory {
        private final AtomicInteger left = new AtomicInteger();
        private volatile Completing form = PLAIN;

        Completing first() {
            if (left.getAndUpdate(n -> Math.max(0, n - 1)) == 0) {
                form = PLAIN;
            }
            return form;
        }

        /**
         * @param counted whether anything that was done counted against something
         */
        void saw(Completing used, int done, int all, boolean counted) {
            if (done * 2 < all) {
                form = used.next();
                left.set(HOLDS);
            } else if (used == COUNTED && !counted) {
                left.set(0);
            }
        }
    }
}
