package io.flowfabric.testkit.harness;

import io.flowfabric.core.policy.Due;

import java.time.Duration;
import java.time.Instant;

/** A moment as pure data, before the clock of any run is known. */
sealed interface Wait {
    /** So long after the store hears of it. */
    record After(Duration delay) implements Wait {}

    /** At a time, counted from the beginning of the run; it may have passed. */
    record FromStart(Duration offset) implements Wait {}

    default Due due(Instant start) {
        return switch (this) {
            case After(Duration delay) -> Due.in(delay);
            case FromStart(Duration offset) -> Due.at(start.plus(offset));
        };
    }
}
