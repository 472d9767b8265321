package io.flowfabric.core.admission;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * How much may be used up: of tokens, of cents, of calls.
 *
 * @param dimensions what is counted, each with its bounds; they are the same for as long as the
 *     budget lives
 * @param period after how long everything begins at zero again; none means never
 * @param enforcement what a breach does
 * @param parent a budget above: what is used up and set aside here is so there, too, in the
 *     dimensions that both have. It is the same for as long as the budget lives.
 */
public record Budget(
        Namespace namespace,
        String name,
        SortedMap<String, Bounds> dimensions,
        Optional<Duration> period,
        Enforcement enforcement,
        Optional<String> parent) {

    /**
     * The bounds of one dimension; without one there is none.
     *
     * @param soft from here on an event tells that it is nearly used up
     * @param hard from here on it is breached
     */
    public record Bounds(Optional<Long> soft, Optional<Long> hard) {
        public Bounds {
            soft.ifPresent(bound -> Limit.AMOUNT.checkRange("soft limit", 0, bound));
            hard.ifPresent(bound -> Limit.AMOUNT.checkRange("hard limit", 0, bound));
        }

        /** A hard limit, at which work stops, and no soft one. */
        public static Bounds hard(long bound) {
            return new Bounds(Optional.empty(), Optional.of(bound));
        }

        /** These limits with a soft one, which only tells. */
        public Bounds soft(long bound) {
            return new Bounds(Optional.of(bound), hard);
        }
    }

    /** What happens when a hard limit is reached. */
    public enum Enforcement {
        /** It is told, and nothing else. */
        WARN,
        /** No more work starts that draws on it. */
        STOP,
        /**
         * No more work starts that draws on it, and what runs is cancelled: all of it, also what
         * draws on a budget below this one. What waits goes on waiting.
         */
        CANCEL;

        /** Whether work waits while a limit is reached. */
        public boolean stops() {
            return this != WARN;
        }
    }

    public Budget {
        Text.name("budget", name, Limit.NAME_BYTES);
        Limit.DIMENSIONS.checkCount("dimensions", dimensions.size());
        if (dimensions.isEmpty()) {
            throw new Invalid(Invalid.Code.EMPTY, "budget", "It counts nothing: name a dimension.");
        }
        dimensions
                .keySet()
                .forEach(dimension -> Text.name("dimension", dimension, Limit.NAME_BYTES));
        dimensions = Collections.unmodifiableSortedMap(new TreeMap<>(dimensions));
        period = period.map(length -> Durations.checked("period", 1, length));
        parent.ifPresent(above -> Text.name("budget", above, Limit.NAME_BYTES));
    }

    /** One that stops work when so much of one dimension is used up. */
    public static Budget of(String name, String dimension, long hard) {
        var dimensions = new TreeMap<String, Bounds>();
        dimensions.put(dimension, Bounds.hard(hard));
        return new Budget(
                Namespace.DEFAULT,
                name,
                dimensions,
                Optional.empty(),
                Enforcement.STOP,
                Optional.empty());
    }

    /** With other bounds of a dimension, or with one more dimension. */
    public Budget bounds(String dimension, Bounds bounds) {
        var more = new TreeMap<>(dimensions);
        more.put(dimension, bounds);
        return new Budget(namespace, name, more, period, enforcement, parent);
    }

    /** This budget with a period after which it begins at zero again. */
    public Budget period(Duration other) {
        return new Budget(namespace, name, dimensions, Optional.of(other), enforcement, parent);
    }

    /** This budget with another answer to its breach. */
    public Budget enforcement(Enforcement other) {
        return new Budget(namespace, name, dimensions, period, other, parent);
    }

    /** This budget under another one, which counts everything that this one counts. */
    public Budget parent(String other) {
        return new Budget(namespace, name, dimensions, period, enforcement, Optional.of(other));
    }

    /** This budget in another namespace. */
    public Budget namespace(Namespace other) {
        return new Budget(other, name, dimensions, period, enforcement, parent);
    }
}
