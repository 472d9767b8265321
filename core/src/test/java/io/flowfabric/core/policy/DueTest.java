package io.flowfabric.core.policy;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

class DueTest {
    private static final Duration CENTURY = Duration.ofMillis(Limit.DURATION_MILLIS.max());

    @Test
    void a_wait_counts_from_the_moment_the_store_hears_of_it() {
        assertThat(Due.in(Duration.ofMinutes(5)).from(NOON))
                .isEqualTo(Instant.parse("2026-03-01T12:05:00Z"));
        assertThat(Due.NOW.from(NOON)).isEqualTo(NOON);
    }

    @Test
    void a_time_is_the_same_whenever_the_store_hears_of_it() {
        var due = Due.at(NOON);

        assertThat(due.from(NOON.minusSeconds(1))).isEqualTo(NOON);
        assertThat(due.from(NOON.plusSeconds(1))).isEqualTo(NOON);
    }

    @Test
    void times_are_whole_milliseconds() {
        assertThat(Due.in(Duration.ofNanos(1_999_999))).isEqualTo(Due.in(Duration.ofMillis(1)));
        assertThat(Due.at(NOON.plusNanos(1_999_999))).isEqualTo(Due.at(NOON.plusMillis(1)));
    }

    @Test
    void a_wait_may_last_from_nothing_to_a_hundred_years() {
        assertThat(Due.in(CENTURY).from(NOON)).isEqualTo(NOON.plus(CENTURY));
        assertThat(Due.in(Duration.ZERO)).isEqualTo(Due.NOW);
        for (var wait :
                List.of(
                        CENTURY.plusMillis(1),
                        Duration.ofMillis(-1),
                        Duration.ofSeconds(Long.MAX_VALUE),
                        Duration.ofSeconds(Long.MIN_VALUE))) {
            assertRefused(Invalid.Code.OUT_OF_RANGE, "delay in ms", () -> Due.in(wait));
        }
    }

    @Test
    void a_time_lies_in_the_hundred_years_from_1970() {
        assertThat(Due.at(Instant.EPOCH).from(NOON)).isEqualTo(Instant.EPOCH);
        assertThat(Due.at(Instant.EPOCH.plus(CENTURY)).from(NOON))
                .isEqualTo(Instant.EPOCH.plus(CENTURY));
        for (var time :
                List.of(Instant.EPOCH.minusMillis(1), Instant.EPOCH.plus(CENTURY).plusMillis(1))) {
            assertRefused(Invalid.Code.OUT_OF_RANGE, "time in ms since 1970", () -> Due.at(time));
        }
    }

    @Test
    void a_time_that_does_not_fit_into_a_number_is_refused_like_any_other() {
        assertThatThrownBy(() -> Due.at(Instant.MAX))
                .isInstanceOf(Invalid.class)
                .hasMessageStartingWith("time in ms since 1970: 9223372036854775807 is outside of");
        assertThatThrownBy(() -> Due.at(Instant.MIN))
                .isInstanceOf(Invalid.class)
                .hasMessageStartingWith(
                        "time in ms since 1970: -9223372036854775808 is outside of");
    }

    @Test
    void what_it_says_is_part_of_the_digest() {
        var millis = Duration.ofMillis(7);

        assertThat(
                        List.of(
                                digest(Due.NOW),
                                digest(Due.in(millis)),
                                digest(Due.at(Instant.EPOCH)),
                                digest(Due.at(Instant.EPOCH.plus(millis)))))
                .doesNotHaveDuplicates();
        assertThat(digest(Due.in(millis))).isEqualTo(digest(Due.in(millis)));
    }

    private static Digest digest(Due due) {
        var digest = Digest.of("test");
        due.digest(digest);
        return digest.done();
    }
}
