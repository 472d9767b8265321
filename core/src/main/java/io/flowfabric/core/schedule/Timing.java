package io.flowfabric.core.schedule;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;

/** When the occurrences of a schedule are. */
public sealed interface Timing {
    /**
     * The occurrences that a cron expression names in a time zone. Whether the expression can be
     * read is found out by the engine that defines the schedule.
     *
     * @param expression five fields (minute, hour, day of the month, month, day of the week), or
     *     six with seconds before them
     */
    record Cron(String expression, ZoneId zone) implements Timing {
        public Cron {
            Text.name("cron expression", expression, Limit.NAME_BYTES);
            if (expression.isBlank()) {
                throw new Invalid(
                        Invalid.Code.EMPTY,
                        "cron expression",
                        "It must not be blank; 0 3 * * * is every night at three.");
            }
        }
    }

    /**
     * Occurrences that are equally far apart, however often engines were down in between.
     *
     * @param interval how far; a second at least
     * @param start one of the occurrences: all others are whole intervals away from it, and none is
     *     before it
     */
    record Every(Duration interval, Instant start) implements Timing {
        /** The shortest interval, in milliseconds: below it a worker that loops is better. */
        private static final long SHORTEST_MILLIS = 1000;

        public Every {
            interval = Durations.checked("interval", SHORTEST_MILLIS, interval);
            start = new Due.At(start).time();
        }
    }
}
