package io.flowfabric.core.schedule;

import io.flowfabric.core.Answer;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What engines do with schedules. Many of them may, and each occurrence is fired once: a firing
 * names the revision that it was decided by, and only one of those that name it is taken.
 */
public interface Firings {
    /**
     * The schedules that are to be seen to, by the store's clock, the longest overdue first. One
     * that cannot be read is logged and passed over.
     *
     * @param max how many at most
     */
    DueSchedules due(int max);

    /**
     * Submits occurrences and says when the next ones are, each schedule by itself.
     *
     * <p>What cannot be submitted is recorded on its schedule, which goes on to its next
     * occurrence.
     *
     * <p>Refusals: {@code NotFound} for a schedule that is gone, {@code Conflict} for one that has
     * another revision by now, or that has work here and is not due.
     */
    List<Answer<ScheduleView>> fire(List<Firing> firings);

    /**
     * What is due.
     *
     * @param now the store's clock
     * @param schedules those that are due
     * @param next how long it is until the next one is, of those that are not; none when there is
     *     none, or when not all that are due are told
     */
    record DueSchedules(Instant now, List<ScheduleView> schedules, Optional<Duration> next) {
        public DueSchedules {
            schedules = List.copyOf(schedules);
        }
    }
}
