package io.flowfabric.core.admission;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * A bound on work that names it, for all of it or for each key by itself.
 *
 * @param concurrency how much of it may run at once; work that a worker holds in advance runs
 * @param rate how much of it may be started within a window that slides along
 */
public record Quota(
        Namespace namespace, String name, Optional<Integer> concurrency, Optional<Rate> rate) {
    /**
     * At most so many starts in any stretch of time as long as the window. Every attempt is a
     * start; going on with one that was interrupted is none.
     */
    public record Rate(int max, Duration window) {
        public Rate {
            Limit.RATE.checkRange("rate", 1, max);
            window = Durations.checked("rate window", 1, window);
        }

        /** Until when a start counts. */
        public Instant until(Instant start) {
            return start.plus(window);
        }
    }

    public Quota {
        Text.name("quota", name, Limit.NAME_BYTES);
        concurrency.ifPresent(most -> Limit.COUNT.checkRange("concurrency", 0, most));
        if (concurrency.isEmpty() && rate.isEmpty()) {
            throw new Invalid(
                    Invalid.Code.EMPTY,
                    "quota",
                    "It bounds nothing: give it a concurrency or a rate.");
        }
    }

    /** At most so much at once. */
    public static Quota atOnce(String name, int most) {
        return new Quota(Namespace.DEFAULT, name, Optional.of(most), Optional.empty());
    }

    /** At most so many starts in a window. */
    public static Quota rate(String name, int most, Duration window) {
        return new Quota(
                Namespace.DEFAULT, name, Optional.empty(), Optional.of(new Rate(most, window)));
    }

    /** This quota in another namespace. */
    public Quota namespace(Namespace other) {
        return new Quota(other, name, concurrency, rate);
    }

    /** This quota with a limit on how many run at once. */
    public Quota concurrency(int most) {
        return new Quota(namespace, name, Optional.of(most), rate);
    }

    /** This quota with a limit on how many start within any window of this length. */
    public Quota rate(int most, Duration window) {
        return new Quota(namespace, name, concurrency, Optional.of(new Rate(most, window)));
    }
}
