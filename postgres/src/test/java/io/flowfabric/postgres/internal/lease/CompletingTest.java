package io.flowfabric.postgres.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class CompletingTest {
    private final Completing.Memory memory = new Completing.Memory();

    @Test
    void the_cheapest_comes_first_as_long_as_it_does_most_of_a_batch() {
        memory.saw(Completing.PLAIN, 5, 10, false);

        assertThat(memory.first()).isEqualTo(Completing.PLAIN);
    }

    @Test
    void where_it_does_not_the_next_one_comes_first_for_some_batches() {
        memory.saw(Completing.PLAIN, 4, 10, false);

        for (int batch = 0; batch < 32; batch++) {
            assertThat(memory.first()).as("batch %d", batch).isEqualTo(Completing.COUNTED);
        }
        assertThat(memory.first()).isEqualTo(Completing.PLAIN);
    }

    @Test
    void one_that_counts_is_left_where_nothing_counts() {
        memory.saw(Completing.PLAIN, 0, 10, false);
        memory.saw(Completing.COUNTED, 10, 10, false);

        assertThat(memory.first()).isEqualTo(Completing.PLAIN);
    }

    @Test
    void the_last_one_follows_the_one_that_counts() {
        memory.saw(Completing.COUNTED, 0, 10, false);

        assertThat(memory.first()).isEqualTo(Completing.ANY);
    }
}
