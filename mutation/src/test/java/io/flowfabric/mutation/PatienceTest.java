package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.mutation.Coverage.Covering;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;

class PatienceTest {
    private static final long BEGUN = 7;

    private final Patience patience =
            new Patience(
                    List.of(
                            new Covering("quick", 10, Set.of()),
                            new Covering("slow", 60_000, Set.of())),
                    BEGUN);

    @Test
    void a_test_is_waited_for_ten_times_as_long_as_it_takes() {
        patience.started("quick", BEGUN);
        patience.started("slow", BEGUN);

        assertThat(patience.isOver(after(Duration.ofMillis(20_100)))).isFalse();
        assertThat(patience.isOver(after(Duration.ofMillis(20_101)))).isTrue();
    }

    @Test
    void a_test_that_has_ended_is_not_waited_for() {
        patience.started("quick", BEGUN);
        patience.finished("quick");
        patience.started("slow", BEGUN);

        assertThat(patience.isOver(after(Duration.ofMinutes(10)))).isFalse();
    }

    @Test
    void what_no_test_is_running_in_is_waited_for_as_long_as_all_of_them() {
        assertThat(patience.isOver(after(Duration.ofMillis(620_100)))).isFalse();
        assertThat(patience.isOver(after(Duration.ofMillis(620_101)))).isTrue();
    }

    private static long after(Duration time) {
        return BEGUN + time.toNanos();
    }
}
