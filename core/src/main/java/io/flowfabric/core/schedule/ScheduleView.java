package io.flowfabric.core.schedule;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;

import java.time.Instant;
import java.util.Optional;

/**
 * A schedule as it stands.
 *
 * @param revision grows by one with each change and each firing
 * @param paused whether it fires nothing until it is resumed
 * @param passed the moment up to which its occurrences are dealt with: fired, left out, or before
 *     its time
 * @param next the next occurrence; none while it is paused, while no engine has found it out yet,
 *     and when there is no further one
 * @param due when an engine is to see to it: the next occurrence with its jitter, or at once for
 *     one whose next occurrence is not found out; none when nothing is to come
 * @param fired the last occurrence that was submitted
 * @param refused the last occurrence, or expression, that could not be
 * @param changed when an operator changed it last
 * @param by who did so
 */
public record ScheduleView(
        Schedule schedule,
        long revision,
        boolean paused,
        Instant passed,
        Optional<Instant> next,
        Optional<Instant> due,
        Optional<FiredOccurrence> fired,
        Optional<RefusedOccurrence> refused,
        Instant changed,
        Attribution by) {
    /**
     * An occurrence that was submitted.
     *
     * @param occurrence its time, without jitter
     * @param at when it was submitted
     */
    public record FiredOccurrence(Instant occurrence, ExecutionId execution, Instant at) {}

    /**
     * Something that was not submitted.
     *
     * @param occurrence its time, without jitter
     * @param why in words
     * @param at when it was refused
     */
    public record RefusedOccurrence(Instant occurrence, String why, Instant at) {}
}
