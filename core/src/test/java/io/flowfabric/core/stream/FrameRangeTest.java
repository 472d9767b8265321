package io.flowfabric.core.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;

import org.junit.jupiter.api.Test;

import java.time.Instant;

class FrameRangeTest {
    private static final Instant NOON = Instant.parse("2030-01-01T12:00:00Z");

    @Test
    void both_ends_of_a_range_belong_to_it() {
        var range = FrameRange.from(2).to(4).since(NOON).until(NOON.plusMillis(5));

        assertThat(range.includes(frame(2, NOON))).isTrue();
        assertThat(range.includes(frame(4, NOON.plusMillis(5)))).isTrue();
        assertThat(range.includes(frame(1, NOON))).isFalse();
        assertThat(range.includes(frame(5, NOON))).isFalse();
        assertThat(range.includes(frame(3, NOON.minusMillis(1)))).isFalse();
        assertThat(range.includes(frame(3, NOON.plusMillis(6)))).isFalse();
    }

    @Test
    void a_moment_between_two_milliseconds_excludes_the_one_before_it() {
        assertThat(FrameRange.ALL.since(NOON.plusNanos(1)).since()).isEqualTo(NOON.plusMillis(1));
        assertThat(FrameRange.ALL.since(NOON).since()).isEqualTo(NOON);
    }

    @Test
    void any_moment_can_be_asked_for() {
        assertThat(FrameRange.ALL.since(Instant.MIN).since()).isEqualTo(Instant.EPOCH);
        assertThat(FrameRange.ALL.since(Instant.MAX).since()).isEqualTo(FrameRange.ALL.until());
        assertThat(FrameRange.ALL.until(Instant.MAX)).isEqualTo(FrameRange.ALL);
    }

    @Test
    void a_position_is_no_negative_number() {
        assertThatExceptionOfType(Invalid.class).isThrownBy(() -> FrameRange.from(-1));
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(() -> FrameRange.from(Limit.POSITION.max() + 1));
    }

    private static StreamFrame frame(long position, Instant at) {
        return new StreamFrame(position, FrameMode.LIVE, "said", Payload.EMPTY, at);
    }
}
