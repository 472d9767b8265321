package io.flowfabric.core.policy;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.stream.IntStream;

class BackoffTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration LONGEST = Duration.ofMillis(Limit.DURATION_MILLIS.max());

    @Test
    void the_default_doubles_from_a_second_up_to_a_minute() {
        assertThat(IntStream.range(0, 9).mapToObj(Backoff.DEFAULT::delay))
                .extracting(Duration::toSeconds)
                .containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 60L, 60L, 60L);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 1_000_000})
    void a_fixed_wait_is_always_the_same(int retriesUsed) {
        assertThat(Backoff.fixed(SECOND).delay(retriesUsed)).isEqualTo(SECOND);
        assertThat(Backoff.fixed(Duration.ZERO).delay(retriesUsed)).isEqualTo(Duration.ZERO);
    }

    @Test
    void a_wait_grows_by_its_factor() {
        var backoff = Backoff.exponential(Duration.ofMillis(100), MINUTE, 1.5);

        assertThat(IntStream.range(0, 5).mapToObj(backoff::delay))
                .extracting(Duration::toMillis)
                .containsExactly(100L, 150L, 225L, 337L, 506L);
    }

    @Test
    void a_factor_of_one_keeps_the_wait_as_it_is() {
        var backoff = Backoff.exponential(SECOND, MINUTE, 1);

        assertThat(backoff.delay(0)).isEqualTo(SECOND);
        assertThat(backoff.delay(1_000_000)).isEqualTo(SECOND);
    }

    @Test
    void a_wait_that_overflows_is_the_longest() {
        assertThat(Backoff.exponential(SECOND, LONGEST, 1000).delay(1_000_000)).isEqualTo(LONGEST);
        assertThat(Backoff.exponential(LONGEST, LONGEST, 1000).delay(Integer.MAX_VALUE))
                .isEqualTo(LONGEST);
    }

    @Test
    void no_wait_stays_no_wait_however_it_grows() {
        var backoff = Backoff.exponential(Duration.ZERO, MINUTE, 1000);

        assertThat(backoff.delay(0)).isEqualTo(Duration.ZERO);
        assertThat(backoff.delay(1_000_000)).as("zero times infinity").isEqualTo(Duration.ZERO);
    }

    @Test
    void times_are_whole_milliseconds() {
        assertThat(Backoff.fixed(Duration.ofNanos(1_999_999)))
                .isEqualTo(Backoff.fixed(Duration.ofMillis(1)));
        assertThat(Backoff.exponential(Duration.ofNanos(1_999_999), Duration.ofNanos(2_999_999), 2))
                .isEqualTo(Backoff.exponential(Duration.ofMillis(1), Duration.ofMillis(2), 2));
    }

    @Test
    void a_wait_may_last_from_nothing_to_a_hundred_years() {
        assertThat(Backoff.fixed(LONGEST).delay(0)).isEqualTo(LONGEST);
        assertOutOfRange("backoff delay in ms", () -> Backoff.fixed(LONGEST.plusMillis(1)));
        assertOutOfRange("backoff delay in ms", () -> Backoff.fixed(Duration.ofMillis(-1)));
        assertOutOfRange(
                "backoff initial in ms",
                () -> Backoff.exponential(Duration.ofMillis(-1), SECOND, 2));
        assertOutOfRange(
                "backoff longest in ms",
                () -> Backoff.exponential(SECOND, LONGEST.plusMillis(1), 2));
    }

    @Test
    void a_wait_that_does_not_fit_into_a_number_is_refused_like_any_other() {
        assertThatThrownBy(() -> Backoff.fixed(Duration.ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(Invalid.class)
                .hasMessageStartingWith("backoff delay in ms: 9223372036854775807 is outside of");
        assertThatThrownBy(() -> Backoff.fixed(Duration.ofSeconds(Long.MIN_VALUE)))
                .isInstanceOf(Invalid.class)
                .hasMessageStartingWith("backoff delay in ms: -9223372036854775808 is outside of");
    }

    @Test
    void the_longest_wait_is_not_shorter_than_the_first() {
        assertThat(Backoff.exponential(SECOND, SECOND, 2).delay(5)).isEqualTo(SECOND);
        assertOutOfRange(
                "backoff longest in ms",
                () -> Backoff.exponential(SECOND, SECOND.minusMillis(1), 2));
    }

    @ParameterizedTest
    @ValueSource(
            doubles = {
                0.999,
                0,
                -1,
                1000.001,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                Double.NEGATIVE_INFINITY
            })
    void a_factor_outside_of_1_to_1000_is_refused(double multiplier) {
        assertOutOfRange(
                "backoff multiplier", () -> Backoff.exponential(SECOND, MINUTE, multiplier));
    }

    private static void assertOutOfRange(String field, ThrowingCallable call) {
        assertRefused(Invalid.Code.OUT_OF_RANGE, field, call);
    }
}
