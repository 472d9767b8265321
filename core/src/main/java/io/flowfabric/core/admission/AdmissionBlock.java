package io.flowfabric.core.admission;

import java.util.Locale;

/**
 * What kept work waiting that a claim could otherwise have given out. It names no execution, no
 * quota and no key, so that there are few of them, however much waits.
 */
public sealed interface AdmissionBlock {
    /**
     * A budget has not enough left.
     *
     * @param dimension of what
     */
    record Budget(String dimension) implements AdmissionBlock {
        @Override
        public String toString() {
            return "budget " + dimension;
        }
    }

    /** A quota is full. */
    enum Quota implements AdmissionBlock {
        /** As many have started within the window as may. */
        RATE,
        /** As many run as may. */
        CONCURRENCY;

        /** The word as it travels: {@code concurrency}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }

        @Override
        public String toString() {
            return "quota " + wire();
        }
    }
}
