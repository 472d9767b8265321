package io.flowfabric.core.signal;

import java.util.List;
import java.util.Locale;

/**
 * How a suspension ended, which is what the step of its name says.
 *
 * @param signals those that counted, in the order in which they came; what they said is read with
 *     {@link Signals#received}
 */
public record Resumption(Cause by, List<SignalHead> signals) {
    public Resumption {
        signals = List.copyOf(signals);
    }

    /** What ends a suspension without ending its execution. */
    public enum Cause {
        /** Signals met its condition. */
        SIGNAL,
        /** An operator resumed it. */
        OPERATOR,
        /** Its time was over. */
        TIMEOUT;

        /** The cause as it travels: {@code signal}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
