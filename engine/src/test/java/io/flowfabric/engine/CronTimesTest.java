package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.schedule.Timing;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

class CronTimesTest {
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");

    @Test
    void five_fields_begin_with_minutes_and_six_with_seconds() {
        assertThat(times("30 3 * * *", ZoneOffset.UTC, "2026-05-01T00:00:00Z", 2))
                .containsExactly("2026-05-01T03:30:00Z", "2026-05-02T03:30:00Z");
        assertThat(times("*/20 30 3 * * *", ZoneOffset.UTC, "2026-05-01T03:30:00Z", 3))
                .containsExactly(
                        "2026-05-01T03:30:20Z", "2026-05-01T03:30:40Z", "2026-05-02T03:30:00Z");
    }

    @Test
    void an_expression_is_read_in_its_zone() {
        assertThat(times("0 3 * * 1-5", BERLIN, "2026-01-02T12:00:00Z", 1))
                .as("after Friday noon")
                .containsExactly("2026-01-05T02:00:00Z");
    }

    @Test
    void a_time_that_the_clock_leaps_over_is_one_occurrence_right_after_the_leap() {
        // In the night of March 29, 2026 it is three o'clock after two, at 01:00 UTC.
        assertThat(times("30 2 * * *", BERLIN, "2026-03-28T00:00:00Z", 3))
                .containsExactly(
                        "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z");
        assertThat(times("*/10 2-3 * * *", BERLIN, "2026-03-29T00:00:00Z", 2))
                .as("six that are leapt over, and the one at three, are one moment")
                .containsExactly("2026-03-29T01:00:00Z", "2026-03-29T01:10:00Z");
    }

    @Test
    void a_time_that_the_clock_shows_twice_is_one_occurrence_the_first_time() {
        // In the night of October 25, 2026 it is two o'clock after three, at 01:00 UTC.
        assertThat(times("30 2 * * *", BERLIN, "2026-10-24T12:00:00Z", 2))
                .containsExactly("2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertThat(times("30 2 * * *", BERLIN, "2026-10-25T01:10:00Z", 1))
                .as("asked between the two")
                .containsExactly("2026-10-26T01:30:00Z");
        assertThat(times("0 * * * *", BERLIN, "2026-10-24T23:30:00Z", 3))
                .as("two o'clock once")
                .containsExactly(
                        "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z");
    }

    @Test
    void rare_days_are_found() {
        assertThat(times("0 0 29 2 *", ZoneOffset.UTC, "2026-01-01T00:00:00Z", 1))
                .containsExactly("2028-02-29T00:00:00Z");
        assertThat(times("0 0 30 2 *", ZoneOffset.UTC, "2026-01-01T00:00:00Z", 1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nightly", "* * * *", "61 * * * *", "0 3 * * 9", "1 2 3 4 5 6 7"})
    void what_cannot_be_read_is_refused_with_an_example(String expression) {
        assertThatThrownBy(() -> CronTimes.of(new Timing.Cron(expression, BERLIN)))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        refusal ->
                                assertThat(refusal.code()).isEqualTo(Invalid.Code.MALFORMED_CRON))
                .hasMessageContaining(expression)
                .hasMessageContaining("0 3 * * 1-5");
    }

    private static List<String> times(String expression, ZoneId zone, String from, int count) {
        var cron = CronTimes.of(new Timing.Cron(expression, zone));
        var times = new ArrayList<String>();
        var next = cron.after(Instant.parse(from));
        while (next.isPresent() && times.size() < count) {
            times.add(next.get().toString());
            next = cron.after(next.get());
        }
        return times;
    }
}
