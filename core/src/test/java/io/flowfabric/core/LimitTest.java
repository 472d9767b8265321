package io.flowfabric.core;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

class LimitTest {

    @Test
    void the_limits_are_these() {
        var expected = new EnumMap<Limit, Long>(Limit.class);
        expected.put(Limit.INPUT_BYTES, 1024L * 1024);
        expected.put(Limit.RESULT_BYTES, 1024L * 1024);
        expected.put(Limit.STEP_BYTES, 256L * 1024);
        expected.put(Limit.STEPS, 1000L);
        expected.put(Limit.ALL_STEPS_BYTES, 16L * 1024 * 1024);
        expected.put(Limit.SIGNAL_BYTES, 64L * 1024);
        expected.put(Limit.SIGNALS, 10_000L);
        expected.put(Limit.WAITPOINT_SIGNALS, 1000L);
        expected.put(Limit.WAITPOINTS, 1000L);
        expected.put(Limit.CONDITION_WAITPOINTS, 100L);
        expected.put(Limit.CONDITION_SIGNALS, 250L);
        expected.put(Limit.FRAME_BYTES, 64L * 1024);
        expected.put(Limit.FRAMES, 100_000L);
        expected.put(Limit.STREAM_BYTES, 64L * 1024 * 1024);
        expected.put(Limit.LIVE_FRAMES, 256L);
        expected.put(Limit.SUMMARY_BYTES, 256L * 1024);
        expected.put(Limit.FLOW_MEMBERS, 10_000L);
        expected.put(Limit.FLOW_EDGES, 100_000L);
        expected.put(Limit.FLOW_BYTES, 64L * 1024 * 1024);
        expected.put(Limit.POSITION, 1L << 40);
        expected.put(Limit.NAME_BYTES, 256L);
        expected.put(Limit.LANE_BYTES, 64L);
        expected.put(Limit.TAGS, 32L);
        expected.put(Limit.TAG_KEY_BYTES, 256L);
        expected.put(Limit.TAG_VALUE_BYTES, 256L);
        expected.put(Limit.CAPABILITIES, 256L);
        expected.put(Limit.CAPABILITY_BYTES, 4096L);
        expected.put(Limit.MESSAGE_BYTES, 4096L);
        expected.put(Limit.FAILURE_DETAIL_BYTES, 64L * 1024);
        expected.put(Limit.PRIORITY, 9000L);
        expected.put(Limit.BATCH, 10_000L);
        expected.put(Limit.CLAIM, 256L);
        expected.put(Limit.PAGE, 1000L);
        expected.put(Limit.SESSION_LANES, 256L);
        expected.put(Limit.SESSION_KINDS, 1024L);
        expected.put(Limit.COUNT, 1_000_000L);
        expected.put(Limit.LANE_WEIGHT, 1000L);
        expected.put(Limit.QUOTAS, 8L);
        expected.put(Limit.BUDGETS, 8L);
        expected.put(Limit.DIMENSIONS, 16L);
        expected.put(Limit.AMOUNT, 1_000_000_000_000L);
        expected.put(Limit.RATE, 1_000_000L);
        expected.put(Limit.SCHEDULE_NAME_BYTES, 128L);
        expected.put(Limit.CATCH_UP, 100L);
        expected.put(Limit.GRANT_TTL_MILLIS, Duration.ofMinutes(1).toMillis());
        expected.put(Limit.SESSION_TTL_MILLIS, Duration.ofHours(1).toMillis());
        expected.put(Limit.DURATION_MILLIS, Duration.ofDays(36_525).toMillis());

        var actual = new EnumMap<Limit, Long>(Limit.class);
        for (var limit : Limit.values()) {
            actual.put(limit, limit.max());
        }
        assertThat((Map<Limit, Long>) actual).isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource
    void a_size_may_reach_its_limit_and_not_exceed_it(Limit limit) {
        limit.checkSize("thing", 0, "bytes");
        limit.checkSize("thing", limit.max(), "bytes");
        assertRefused(
                Invalid.Code.TOO_LARGE,
                "thing",
                () -> limit.checkSize("thing", limit.max() + 1, "bytes"));
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"DURATION_MILLIS", "AMOUNT", "POSITION"})
    void a_count_may_reach_its_limit_and_not_exceed_it(Limit limit) {
        int most = Math.toIntExact(limit.max());

        limit.checkCount("things", 0);
        limit.checkCount("things", most);
        assertRefused(Invalid.Code.TOO_MANY, "things", () -> limit.checkCount("things", most + 1));
    }

    @ParameterizedTest
    @EnumSource
    void a_number_stays_between_its_least_and_its_limit(Limit limit) {
        assertThat(limit.checkRange("number", 3, 3)).isEqualTo(3);
        assertThat(limit.checkRange("number", 3, limit.max())).isEqualTo(limit.max());
        assertRefused(Invalid.Code.OUT_OF_RANGE, "number", () -> limit.checkRange("number", 3, 2));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE,
                "number",
                () -> limit.checkRange("number", 3, limit.max() + 1));
    }

    @Test
    void a_refusal_names_the_value_and_what_would_be_accepted() {
        assertThatThrownBy(() -> Limit.INPUT_BYTES.checkSize("input", 1_048_577, "bytes"))
                .hasMessage("input: 1048577 bytes are more than the 1048576 that are accepted.");
        assertThatThrownBy(() -> Limit.TAGS.checkCount("tags", 33))
                .hasMessage("tags: 33 are more than the 32 that are accepted.");
        assertThatThrownBy(() -> Limit.PRIORITY.checkRange("priority", 0, -1))
                .hasMessage("priority: -1 is outside of the accepted range 0 to 9000.");
    }
}
