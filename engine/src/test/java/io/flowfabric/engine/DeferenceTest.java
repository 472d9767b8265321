package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** R20: an engine that comes too late steps back, and one that is first steps forward. */
class DeferenceTest {
    private static final Duration PLENTY = Duration.ofSeconds(10);

    private final ManualTime time = new ManualTime();

    @Test
    void it_doubles_up_to_a_third_of_a_second_and_is_halved_down_to_a_moment() {
        var deference = new Deference(time, PLENTY.toNanos());
        assertThat(millis(deference)).isEqualTo(5);

        var back = new ArrayList<Long>();
        for (int i = 0; i < 8; i++) {
            deference.stepBack();
            back.add(millis(deference));
        }
        var forward = new ArrayList<Long>();
        for (int i = 0; i < 8; i++) {
            deference.stepForward();
            forward.add(millis(deference));
        }

        assertThat(back).isEqualTo(List.of(10L, 20L, 40L, 80L, 160L, 320L, 320L, 320L));
        assertThat(forward).isEqualTo(List.of(160L, 80L, 40L, 20L, 10L, 5L, 5L, 5L));
    }

    @Test
    void it_is_never_longer_than_an_engine_may_be_late() {
        var deference = new Deference(time, Duration.ofMillis(30).toNanos());

        for (int i = 0; i < 9; i++) {
            deference.stepBack();
        }

        assertThat(millis(deference)).isEqualTo(30);
    }

    @Test
    void chance_takes_half_of_it_away_at_most() {
        time.spreadBy(most -> most);
        var deference = new Deference(time, PLENTY.toNanos());

        deference.stepBack();
        deference.stepBack();

        assertThat(millis(deference)).isEqualTo(10);
    }

    private static long millis(Deference deference) {
        return Duration.ofNanos(deference.nanos()).toMillis();
    }
}
