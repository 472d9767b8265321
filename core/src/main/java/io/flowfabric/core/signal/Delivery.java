package io.flowfabric.core.signal;

import java.time.Instant;
import java.util.Locale;

/**
 * What came of a signal.
 *
 * @param number of the signal, in the order in which its execution received them, from 1
 * @param at when it was received, by the clock of the store
 */
public record Delivery(long number, Effect effect, Instant at) {
    /** What a signal does. */
    public enum Effect {
        /** It is kept: nothing waits for it yet, or what waits needs another one. */
        KEPT,
        /** It counts, and others are still to come. */
        COUNTED,
        /** It was the last one: the execution goes on. */
        RESUMED;

        /** The effect as it travels: {@code kept}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
