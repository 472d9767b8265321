package io.flowfabric.core.policy;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;

import java.time.Duration;
import java.time.Instant;

/**
 * A moment, given as a time or as a wait from the moment at which the store hears of it. Times are
 * whole milliseconds.
 */
public sealed interface Due {
    /** At once. */
    Due NOW = new After(Duration.ZERO);

    /** So long after the store hears of it, by the store's clock. */
    static Due in(Duration wait) {
        return new After(wait);
    }

    /** At a time; one that has passed means at once. */
    static Due at(Instant time) {
        return new At(time);
    }

    /** The moment, for a store that hears of it now. */
    Instant from(Instant now);

    /** Adds what it says to the digest of a request. */
    void digest(Digest.Builder digest);

    /** Some time after the call, by the clock of the store. */
    record After(Duration delay) implements Due {
        public After {
            delay = Durations.checked("delay", 0, delay);
        }

        @Override
        public Instant from(Instant now) {
            return now.plus(delay);
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("after").number(delay.toMillis());
        }
    }

    /** A moment that is fixed. */
    record At(Instant time) implements Due {
        public At {
            var millis = Durations.millis(time);
            Limit.DURATION_MILLIS.checkRange("time in ms since 1970", 0, millis);
            time = Instant.ofEpochMilli(millis);
        }

        @Override
        public Instant from(Instant now) {
            return time;
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("at").number(time.toEpochMilli());
        }
    }
}
