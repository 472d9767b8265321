package io.flowfabric.engine;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinition;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.schedule.Timing;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Optional;

/**
 * The occurrences of a cron expression.
 *
 * <p>The expression is read as times of a clock on the wall, and each of these becomes one moment:
 * one that the clock leaps over in spring is the moment of the leap, one that it shows twice in
 * autumn is the first of the two. So each time is one occurrence, whatever the zone does.
 */
final class CronTimes {
    private static final CronDefinition MINUTES =
            CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX);
    private static final CronDefinition SECONDS =
            CronDefinitionBuilder.instanceDefinitionFor(CronType.SPRING);
    private static final int FIELDS_WITH_SECONDS = 6;

    /** So many times of the wall clock may be one moment: an hour of seconds, and many more. */
    private static final int MOST_AT_ONCE = 100_000;

    private final ExecutionTime times;
    private final ZoneId zone;

    private CronTimes(ExecutionTime times, ZoneId zone) {
        this.times = times;
        this.zone = zone;
    }

    /**
     * Reads an expression.
     *
     * @throws Invalid when it cannot be read
     */
    static CronTimes of(Timing.Cron cron) {
        var text = cron.expression().strip();
        boolean seconds = text.split("\\s+", -1).length == FIELDS_WITH_SECONDS;
        try {
            var parsed = new CronParser(seconds ? SECONDS : MINUTES).parse(text);
            return new CronTimes(ExecutionTime.forCron(parsed.validate()), cron.zone());
        } catch (IllegalArgumentException wrong) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_CRON,
                    "cron expression",
                    ("%s cannot be read: %s. Write five fields, minute, hour, day of the month,"
                                    + " month and day of the week, such as 0 3 * * 1-5 for three"
                                    + " o'clock from Monday to Friday; or six, with seconds first.")
                            .formatted(text, wrong.getMessage()));
        }
    }

    /** The first occurrence after a moment; nothing when there is none. */
    Optional<Instant> after(Instant moment) {
        var wall = LocalDateTime.ofInstant(moment, zone);
        for (int n = 0; n < MOST_AT_ONCE; n++) {
            var next = times.nextExecution(wall.atZone(ZoneOffset.UTC));
            if (next.isEmpty()) {
                return Optional.empty();
            }
            wall = next.get().toLocalDateTime();
            var at = momentOf(wall);
            if (at.isAfter(moment)) {
                return Optional.of(at);
            }
        }
        return Optional.empty();
    }

    private Instant momentOf(LocalDateTime wall) {
        var leap = zone.getRules().getTransition(wall);
        return leap != null && leap.isGap()
                ? leap.getInstant()
                : wall.atZone(zone).withEarlierOffsetAtOverlap().toInstant();
    }
}
