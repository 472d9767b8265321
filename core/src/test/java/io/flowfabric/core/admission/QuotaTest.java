package io.flowfabric.core.admission;

import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Components;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.policy.QuotaUse;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.TreeMap;

class QuotaTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Quota CALLS = Quota.atOnce("calls", 3);

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full = CALLS.namespace(new Namespace("shop")).rate(5, MINUTE);

        assertThat(Components.changed(CALLS, full)).containsExactlyInAnyOrder("namespace", "rate");
        assertThat(Components.changed(full, full.concurrency(4))).containsExactly("concurrency");
        assertThat(Components.changed(full, full.rate(6, MINUTE))).containsExactly("rate");
        assertThat(Components.changed(full, full.namespace(Namespace.DEFAULT)))
                .containsExactly("namespace");
    }

    @Test
    void it_has_a_name_and_bounds_something() {
        assertRefused(Invalid.Code.EMPTY, "quota", () -> Quota.atOnce("", 1));
        assertRefused(
                Invalid.Code.TOO_LONG, "quota", () -> Quota.atOnce(tooLong(Limit.NAME_BYTES), 1));
        assertRefused(
                Invalid.Code.EMPTY,
                "quota",
                () -> new Quota(Namespace.DEFAULT, "calls", Optional.empty(), Optional.empty()));
    }

    @Test
    void bounds_have_their_ranges() {
        assertThat(Quota.atOnce("calls", 0).concurrency()).as("nothing may run").contains(0);
        assertThat(Quota.rate("calls", 1_000_000, MINUTE).rate())
                .contains(new Quota.Rate(1_000_000, MINUTE));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "concurrency", () -> CALLS.concurrency(-1));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "rate", () -> CALLS.rate(0, MINUTE));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "rate", () -> CALLS.rate(1_000_001, MINUTE));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE, "rate window in ms", () -> CALLS.rate(1, Duration.ZERO));
    }

    @Test
    void a_rate_of_zero_says_what_to_do_instead() {
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(() -> CALLS.rate(0, MINUTE))
                .withMessageContaining("Leave the rate out")
                .withMessageContaining("concurrency of 0");
    }

    @Test
    void up_to_ten_thousand_starts_count_to_the_millisecond() {
        var exact = new Quota.Rate(10_000, MINUTE);
        var start = Instant.ofEpochMilli(1_767_254_400_001L);

        assertThat(exact.counted(start)).isEqualTo(start);
    }

    @Test
    void more_starts_count_as_of_the_end_of_a_thousandth_of_the_window() {
        var coarse = new Quota.Rate(10_001, MINUTE);
        var slice = Instant.ofEpochMilli(1_767_254_400_060L);

        assertThat(coarse.counted(slice.minusMillis(59))).isEqualTo(slice);
        assertThat(coarse.counted(slice)).isEqualTo(slice);
        assertThat(coarse.counted(slice.plusMillis(1))).isEqualTo(slice.plusMillis(60));
        var brief = new Quota.Rate(10_001, Duration.ofMillis(1_999));
        assertThat(brief.counted(slice.plusMillis(1))).isEqualTo(slice.plusMillis(1));
    }

    @Test
    void work_names_a_quota_and_perhaps_a_key() {
        assertThat(QuotaUse.of("calls").key()).isEmpty();
        assertThat(QuotaUse.of("calls", "ada").key()).contains("ada");
        assertRefused(Invalid.Code.EMPTY, "quota", () -> QuotaUse.of(""));
        assertRefused(Invalid.Code.EMPTY, "quota key", () -> QuotaUse.of("calls", ""));
    }

    @Test
    void a_full_rate_opens_when_enough_of_its_newest_starts_no_longer_count() {
        var rate = new Quota.Rate(3, Duration.ofMinutes(1));
        var noon = Instant.parse("2026-03-01T12:00:00Z");
        var starts = new TreeMap<Instant, Integer>();
        assertThat(rate.opens(starts)).isEmpty();

        starts.put(noon, 1);
        starts.put(noon.plusSeconds(10), 1);
        assertThat(rate.opens(starts)).as("there is room").isEmpty();

        starts.put(noon.plusSeconds(20), 1);
        assertThat(rate.opens(starts)).contains(noon.plusSeconds(60));

        // More than it allows, because it was lowered: the oldest is not enough.
        starts.put(noon.plusSeconds(30), 2);
        assertThat(rate.opens(starts)).contains(noon.plusSeconds(80));
    }
}
