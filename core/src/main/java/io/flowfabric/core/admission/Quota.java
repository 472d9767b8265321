package io.flowfabric.core.admission;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.SortedMap;

/**
 * A bound on work that names it, for all of it or for each key by itself.
 *
 * <p>What is left out bounds nothing. Zero is a bound: a concurrency of 0 lets nothing start.
 *
 * @param concurrency how much of it may run at once; work that a worker holds in advance runs
 * @param rate how much of it may be started within a window that slides along
 */
public record Quota(
        Namespace namespace, String name, Optional<Integer> concurrency, Optional<Rate> rate) {
    /**
     * At most so many starts in any stretch of time as long as the window. Every attempt is a
     * start; going on with one that was interrupted is none.
     *
     * <p>Up to {@link #EXACT} starts are remembered to the millisecond. Where there may be more
     * they are counted in slices of a thousandth of the window, each start as if it were at the end
     * of its slice: then it counts for up to a thousandth of the window too long, and never too
     * short.
     */
    public record Rate(int max, Duration window) {
        /** As many starts as are remembered one by one. */
        public static final int EXACT = 10_000;

        private static final int SLICES = 1_000;

        public Rate {
            if (max == 0) {
                throw new Invalid(
                        Invalid.Code.OUT_OF_RANGE,
                        "rate",
                        "0 starts would never let any work begin. Leave the rate out where there is"
                                + " no limit, or hold work back with a concurrency of 0.");
            }
            Limit.RATE.checkRange("rate", 1, max);
            window = Durations.checked("rate window", 1, window);
        }

        /** When a start of this moment counts as made. */
        public Instant counted(Instant start) {
            long slice = max <= EXACT ? 1 : Math.max(1, window.toMillis() / SLICES);
            return Instant.ofEpochMilli(Math.ceilDiv(start.toEpochMilli(), slice) * slice);
        }

        /** Until when a start counts. */
        public Instant until(Instant start) {
            return start.plus(window);
        }

        /**
         * When the next start may be made, if the rate is full; nothing while it is not.
         *
         * @param starts how many of the starts that still count were made when
         */
        public Optional<Instant> opens(SortedMap<Instant, Integer> starts) {
            long counting = 0;
            // From the newest on: the one that makes the rate full is the one to wait for.
            for (var start : starts.reversed().entrySet()) {
                counting += start.getValue();
                if (counting >= max) {
                    return Optional.of(until(start.getKey()));
                }
            }
            return Optional.empty();
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

    /** At most so much at once; 0 lets nothing start. */
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
