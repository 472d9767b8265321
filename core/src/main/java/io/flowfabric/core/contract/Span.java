package io.flowfabric.core.contract;

import io.flowfabric.core.Invalid;

import java.time.Instant;
import java.util.Optional;

/**
 * A stretch of time, with its beginning and without its end.
 *
 * @param from none means since ever
 * @param to none means for ever
 */
public record Span(Optional<Instant> from, Optional<Instant> to) {
    /** All of time. */
    public static final Span EVER = new Span(Optional.empty(), Optional.empty());

    public Span {
        if (from.isPresent() && to.isPresent() && to.get().isBefore(from.get())) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "time span",
                    "It ends at %s, before it begins at %s.".formatted(to.get(), from.get()));
        }
    }

    public static Span since(Instant from) {
        return new Span(Optional.of(from), Optional.empty());
    }

    public static Span until(Instant to) {
        return new Span(Optional.empty(), Optional.of(to));
    }

    public static Span between(Instant from, Instant to) {
        return new Span(Optional.of(from), Optional.of(to));
    }

    /** Whether a moment lies in it. */
    public boolean holds(Instant moment) {
        return from.map(begin -> !moment.isBefore(begin)).orElse(true)
                && to.map(moment::isBefore).orElse(true);
    }
}
