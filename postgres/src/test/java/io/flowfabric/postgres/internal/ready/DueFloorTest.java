package io.flowfabric.postgres.internal.ready;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;

/** R11: sweeps begin where nothing due is left, and miss nothing that was set. */
class DueFloorTest {
    private static final long NOW = 1_000_000;
    private static final long MARGIN = 250;

    private long time;
    private final DueFloor floor = new DueFloor(new BottomLooks(() -> time));

    @BeforeEach
    void the_first_look_begins_at_the_bottom() {
        var first = floor.look();
        assertThat(first.from()).isEqualTo(Long.MIN_VALUE);
        floor.saw(first, NOW, null);
    }

    @Test
    void where_nothing_was_left_the_next_look_begins_a_moment_before() {
        assertThat(floor.look().from()).isEqualTo(NOW - MARGIN);
    }

    @Test
    void what_could_not_be_done_is_looked_at_again() {
        floor.saw(floor.look(), NOW + 5_000, NOW + 100);

        assertThat(floor.look().from()).isEqualTo(NOW + 100 - MARGIN);
    }

    @Test
    void what_is_due_later_does_not_keep_others_from_being_found() {
        floor.saw(floor.look(), NOW + 5_000, NOW + 9_000);

        assertThat(floor.look().from()).isEqualTo(NOW + 5_000 - MARGIN);
    }

    @Test
    void what_was_set_for_a_time_that_has_passed_is_found() {
        floor.set(NOW - 60_000);

        assertThat(floor.look().from()).isEqualTo(NOW - 60_000);
    }

    @Test
    void a_look_that_was_under_way_does_not_hide_what_it_could_not_see() {
        var underWay = floor.look();
        floor.set(NOW - 60_000);

        floor.saw(underWay, NOW + 10, null);

        assertThat(floor.look().from()).isEqualTo(NOW - 60_000);
        floor.saw(floor.look(), NOW + 20, null);
        assertThat(floor.look().from()).isEqualTo(NOW + 20 - MARGIN);
    }

    @Test
    void deadlines_ahead_do_not_keep_sweeps_at_the_first_of_them() {
        long now = NOW;
        for (int i = 0; i < 20; i++) {
            now += 500;
            var underWay = floor.look();
            floor.set(now + 1_000);
            floor.saw(underWay, now, null);
        }

        assertThat(floor.look().from()).isEqualTo(now - MARGIN);
    }

    @Test
    void a_look_that_began_above_does_not_hide_what_another_has_found_below() {
        var above = floor.look();
        time += Duration.ofSeconds(1).toNanos();
        var bottom = floor.look();

        floor.saw(bottom, NOW + 10, NOW - 60_000);
        floor.saw(above, NOW + 20, null);

        assertThat(floor.look().from()).isEqualTo(NOW - 60_000 - MARGIN);
    }

    @Test
    void what_came_late_is_found_within_a_second() {
        time += Duration.ofSeconds(1).toNanos();

        assertThat(floor.look().from()).isEqualTo(Long.MIN_VALUE);
    }

    @Test
    void everything_can_be_forgotten() {
        floor.forget();

        assertThat(floor.look().from()).isEqualTo(Long.MIN_VALUE);
    }
}
