package io.flowfabric.postgres.internal.ready;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

class LaneFrontsTest {
    private static final int METER = 7;
    private static final int OTHER_METER = 8;

    private final AtomicLong freed = new AtomicLong();
    private final LaneFronts fronts = new LaneFronts(new AtomicLong(), freed);

    LaneFrontsTest() {
        for (int gate = 1; gate <= 3; gate++) {
            fronts.move(gate, new QueuePosition(gate, true, gate));
        }
    }

    @Test
    void a_gate_that_is_full_is_passed_over() {
        fronts.full(1, Set.of(METER), freed.get());

        assertThat(fronts.first(2).gates()).containsExactly(2, 3);
    }

    @Test
    void a_gate_that_is_full_is_looked_behind_again_once_its_meter_has_room() {
        fronts.full(1, Set.of(METER), freed.get());

        fronts.freed(Set.of(OTHER_METER));
        assertThat(fronts.first(1).gates()).containsExactly(2);

        fronts.freed(Set.of(METER));
        assertThat(fronts.first(1).gates()).containsExactly(1);
    }

    @Test
    void a_gate_that_was_full_before_something_was_given_back_may_have_room() {
        long before = freed.getAndIncrement();

        fronts.full(1, Set.of(METER), before);

        assertThat(fronts.first(1).gates()).containsExactly(1);
    }

    @Test
    void the_first_front_that_is_not_asked_for_is_the_limit() {
        assertThat(fronts.first(2).limit()).isEqualTo(new QueuePosition(3, true, 3));
        assertThat(fronts.first(3).limit()).isNull();
    }

    @Test
    void a_front_moves_on_and_never_back() {
        fronts.move(1, new QueuePosition(4, true, 4));
        fronts.move(2, new QueuePosition(1, true, 1));

        assertThat(fronts.first(3).gates()).containsExactly(2, 3, 1);
    }

    @Test
    void a_gate_behind_which_there_is_nothing_is_forgotten() {
        fronts.forget(2);

        assertThat(fronts.first(3).gates()).containsExactly(1, 3);
    }
}
