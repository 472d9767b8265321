package io.flowfabric.core.schedule;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Durations;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * Work that is submitted again and again.
 *
 * @param name unique in the namespace of its work
 * @param jitter how much later than its time an occurrence is fired at most; each one has a delay
 *     of its own, which comes from the schedule's name and the occurrence
 * @param catchUp what becomes of occurrences that no engine was there for
 */
public record Schedule(
        String name, Timing timing, ScheduledWork work, Duration jitter, CatchUp catchUp) {

    public Schedule {
        Text.name("schedule", name, Limit.SCHEDULE_NAME_BYTES);
        jitter = Durations.checked("jitter", 0, jitter);
    }

    /**
     * A schedule by a cron expression, in UTC.
     *
     * @param expression such as {@code 0 3 * * *}: every night at three
     * @param template what each occurrence submits; its id is not used, and it has no key
     */
    public static Schedule cron(String name, String expression, Submission template) {
        return cron(name, expression, ZoneOffset.UTC, template);
    }

    /** A schedule by a cron expression, in a time zone. */
    public static Schedule cron(String name, String expression, ZoneId zone, Submission template) {
        return of(name, new Timing.Cron(expression, zone), template);
    }

    /**
     * A schedule by an interval, counted from 1970 in UTC: one of an hour is fired at each full
     * hour. {@link #startingAt} counts from another moment.
     */
    public static Schedule every(String name, Duration interval, Submission template) {
        return of(name, new Timing.Every(interval, Instant.EPOCH), template);
    }

    private static Schedule of(String name, Timing timing, Submission template) {
        return new Schedule(name, timing, ScheduledWork.of(template), Duration.ZERO, CatchUp.ONE);
    }

    /** The namespace that it belongs to: that of its work. */
    public Namespace namespace() {
        return work.lane().namespace();
    }

    /**
     * This schedule in another time zone.
     *
     * @throws Invalid when it goes by an interval, which has none
     */
    public Schedule zone(ZoneId zone) {
        return switch (timing) {
            case Timing.Cron(var expression, var before) ->
                    timing(new Timing.Cron(expression, zone));
            case Timing.Every every ->
                    throw new Invalid(
                            Invalid.Code.CONTRADICTORY,
                            "zone",
                            "An interval is the same in all time zones: use a cron expression, or"
                                    + " say with startingAt when it begins.");
        };
    }

    /**
     * This schedule with its interval counted from another moment; nothing is fired before it.
     *
     * @throws Invalid when it goes by a cron expression
     */
    public Schedule startingAt(Instant start) {
        return switch (timing) {
            case Timing.Every(var interval, var before) ->
                    timing(new Timing.Every(interval, start));
            case Timing.Cron cron ->
                    throw new Invalid(
                            Invalid.Code.CONTRADICTORY,
                            "start",
                            "A cron expression says itself when it is: use an interval.");
        };
    }

    private Schedule timing(Timing other) {
        return new Schedule(name, other, work, jitter, catchUp);
    }

    /** This schedule with occurrences that are fired up to so much later than their times. */
    public Schedule jitter(Duration most) {
        return new Schedule(name, timing, work, most, catchUp);
    }

    /** This schedule with another way to make up for missed occurrences. */
    public Schedule catchUp(CatchUp other) {
        return new Schedule(name, timing, work, jitter, other);
    }
}
