package io.flowfabric.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

class SeriesTest {

    @Test
    void the_median_of_an_odd_number_is_the_one_in_the_middle() {
        assertThat(Series.median(List.of(9.0, 1.0, 5.0))).isEqualTo(5.0);
    }

    @Test
    void the_median_of_an_even_number_is_between_the_two_in_the_middle() {
        assertThat(Series.median(List.of(9.0, 1.0, 5.0, 4.0))).isEqualTo(4.5);
    }

    @Test
    void rates_come_from_times() {
        var series = seconds(1, 4, 2);

        assertThat(series.perSecond()).isEqualTo(50);
        assertThat(series.slowest()).isEqualTo(25);
        assertThat(series.fastest()).isEqualTo(100);
    }

    @Test
    void costs_are_for_each_execution() {
        var series = new Series(List.of(new Run(100, Duration.ofSeconds(1), 5_000, 250)));

        assertThat(series.walBytesEach()).isEqualTo(50);
        assertThat(series.commitsEach()).isEqualTo(2.5);
    }

    @Test
    void whatever_was_used_is_told_for_each_execution() {
        var second = Duration.ofSeconds(1);
        var series =
                new Series(
                        List.of(
                                new Run(100, second, Map.of("server_us", 3_000L)),
                                new Run(100, second, Map.of("server_us", 9_000L)),
                                new Run(100, second, Map.of("server_us", 4_500L))));

        assertThat(series.each("server_us")).isEqualTo(45);
        assertThat(series.knows("server_us")).isTrue();
        assertThat(series.knows("wal_bytes")).isFalse();
        assertThat(series.figures())
                .containsEntry("server_us_each", 45.0)
                .doesNotContainKey("wal_bytes_each");
    }

    @Test
    void a_ratio_compares_each_repetition_with_its_neighbour() {
        // The second round was slow for both. The ratio of the medians would be 2.
        var quick = seconds(1, 8, 1);
        var slow = seconds(3, 24, 2);

        assertThat(quick.over(slow)).isEqualTo(3);
    }

    @Test
    void there_is_no_median_of_nothing() {
        assertThatThrownBy(() -> new Series(List.of()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static Series seconds(long... times) {
        var runs = new ArrayList<Run>();
        for (long time : times) {
            runs.add(new Run(100, Duration.ofSeconds(time), 0, 0));
        }
        return new Series(runs);
    }
}
