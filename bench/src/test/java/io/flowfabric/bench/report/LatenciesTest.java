package io.flowfabric.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

class LatenciesTest {
    private static final long MILLI = 1_000_000;

    private final Latencies latencies = new Latencies();

    @Test
    void a_percentile_is_the_shortest_time_that_so_many_did_not_exceed() {
        for (int i = 100; i >= 1; i--) {
            latencies.add(i * MILLI);
        }

        assertThat(latencies.millis(0.5)).isEqualTo(50);
        assertThat(latencies.millis(0.99)).isEqualTo(99);
        assertThat(latencies.millis(1)).isEqualTo(100);
    }

    @Test
    void one_alone_is_every_percentile() {
        latencies.add(7 * MILLI);

        assertThat(latencies.millis(0.01)).isEqualTo(7);
        assertThat(latencies.millis(0.99)).isEqualTo(7);
    }

    @Test
    void all_are_told_in_the_order_in_which_they_came() {
        latencies.add(2 * MILLI);
        latencies.add(MILLI / 2);

        assertThat(latencies.millis()).containsExactly(2.0, 0.5);
    }

    @Test
    void where_nothing_was_measured_there_is_no_percentile() {
        assertThatIllegalStateException().isThrownBy(() -> latencies.millis(0.5));
    }
}
