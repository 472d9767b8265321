package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Whether a soak notices what grows. */
class SoakTrendTest {
    @Test
    void an_hour_like_its_beginning_is_flat() {
        var hour = minutes(60, minute -> minute(40, 20, 30));

        assertThat(hour.longEnough()).isTrue();
        assertThat(hour.growth()).isEmpty();
    }

    @Test
    void what_grows_while_it_warms_up_does_not_count() {
        assertThat(minutes(60, minute -> minute(40, Math.min(20, 5 * minute), 30)).growth())
                .isEmpty();
    }

    @Test
    void a_heap_that_grows_is_found() {
        assertThat(minutes(60, minute -> minute(40, 20 + minute, 30)).growth())
                .hasSize(1)
                .allMatch(words -> words.startsWith("heap of the driver, MB: "));
    }

    @Test
    void tables_that_grow_are_found() {
        assertThat(minutes(60, minute -> minute(40, 20, 30 + minute)).growth())
                .hasSize(1)
                .allMatch(words -> words.startsWith("tables, MB: "));
    }

    @Test
    void work_that_starts_later_and_later_is_found() {
        assertThat(minutes(60, minute -> minute(40 + minute, 20, 30)).growth())
                .hasSize(1)
                .allMatch(words -> words.startsWith("p99 of the start, ms: "));
    }

    @Test
    void a_quarter_of_an_hour_is_too_quarterto_tell() {
        var quarter = minutes(15, minute -> minute(40 + minute, 20 + minute, 30 + minute));

        assertThat(quarter.longEnough()).isFalse();
        assertThat(quarter.growth()).isEmpty();
    }

    @Test
    void percentiles_are_exact_to_a_few_hundredths() {
        var latencies = new Latencies();
        IntStream.rangeClosed(1, 1000).forEach(i -> latencies.add(Duration.ofMillis(i)));

        assertThat(latencies.percentile(50)).isCloseTo(500, within(15.0));
        assertThat(latencies.percentile(99)).isCloseTo(990, within(30.0));
        assertThat(Latencies.together(List.of(latencies, latencies)).count()).isEqualTo(2000);
    }

    private static SoakTrend minutes(int count, IntFunction<SoakMinute> minute) {
        return new SoakTrend(IntStream.range(0, count).mapToObj(minute).toList());
    }

    private static SoakMinute minute(double p99, double heap, double tables) {
        var latencies = new Latencies();
        latencies.add(Duration.ofNanos((long) (p99 * 1e6)));
        return new SoakMinute(
                latencies, 70, heap, 15, 90, 400, 200, 40, Map.of("execution", tables), 5);
    }
}
