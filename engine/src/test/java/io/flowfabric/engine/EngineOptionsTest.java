package io.flowfabric.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

class EngineOptionsTest {
    @Test
    void the_defaults_are_those_of_the_design() {
        var options = EngineOptions.DEFAULT;

        assertThat(options.sweepEvery()).isEqualTo(Duration.ofMillis(500));
        assertThat(options.retentionEvery()).isEqualTo(Duration.ofMinutes(1));
        assertThat(options.recountEvery()).isEqualTo(Duration.ofMinutes(10));
        assertThat(options.sweepLimit()).isEqualTo(1000);
        assertThat(options.safetyPoll()).isEqualTo(Duration.ofSeconds(1));
        assertThat(options.submitChunk()).isEqualTo(1000);
        assertThat(options.stopsWithJvm()).isTrue();
    }

    @Test
    void each_option_changes_itself_and_nothing_else() {
        var second = Duration.ofSeconds(7);
        var options = EngineOptions.DEFAULT;

        assertThat(options.sweepEvery(second))
                .isEqualTo(
                        new EngineOptions(
                                second,
                                options.retentionEvery(),
                                options.recountEvery(),
                                options.sweepLimit(),
                                options.safetyPoll(),
                                options.submitChunk(),
                                true));
        assertThat(
                        options.retentionEvery(second)
                                .recountEvery(second)
                                .sweepLimit(7)
                                .safetyPoll(second)
                                .submitChunk(8)
                                .stopsWithJvm(false))
                .isEqualTo(
                        new EngineOptions(
                                options.sweepEvery(), second, second, 7, second, 8, false));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-1S", "PT0S", "PT0.009S", "PT24H0.001S"})
    void durations_outside_of_their_range_are_refused(Duration wrong) {
        List<Function<Duration, EngineOptions>> setters =
                List.of(
                        EngineOptions.DEFAULT::sweepEvery,
                        EngineOptions.DEFAULT::retentionEvery,
                        EngineOptions.DEFAULT::recountEvery,
                        EngineOptions.DEFAULT::safetyPoll);
        for (var setter : setters) {
            assertThatThrownBy(() -> setter.apply(wrong)).isInstanceOf(Invalid.class);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 10_001})
    void counts_outside_of_their_range_are_refused(int wrong) {
        assertThatThrownBy(() -> EngineOptions.DEFAULT.sweepLimit(wrong))
                .isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> EngineOptions.DEFAULT.submitChunk(wrong))
                .isInstanceOf(Invalid.class);
    }
}
