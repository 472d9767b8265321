package io.flowfabric.core.query;

import io.flowfabric.core.Invalid;

import java.time.Instant;
import java.util.Optional;

/**
 * A stretch of time, with its beginning and without its end.
 *
 * @param from none means since ever
 * @param to none means for ever
 */
public record TimeRange(Optional<Instant> from, Optional<Instant> to) {
    /** All of time. */
    public static final TimeRange EVER = new TimeRange(Optional.empty(), Optional.empty());

    public TimeRange {
        if (from.isPresent() && to.isPresent() && to.get().isBefore(from.get())) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "time span",
                    "It ends at %s, before it begins at %s.".formatted(to.get(), from.get()));
        }
    }

    /** From a moment on, with it. */
    public static TimeRange since(Instant from) {
        return new TimeRange(Optional.of(from), Optional.empty());
    }

    /** Up to a moment, without it. */
    public static TimeRange until(Instant to) {
        return new TimeRange(Optional.empty(), Optional.of(to));
    }

    /** From one moment up to another, without the latter. */
    public static TimeRange between(Instant from, Instant to) {
        return new TimeRange(Optional.of(from), Optional.of(to));
    }

    /** Whether a moment lies in it. */
    public boolean holds(Instant moment) {
        return from.map(begin -> !moment.isBefore(begin)).orElse(true)
                && to.map(moment::isBefore).orElse(true);
    }
}
