package io.flowfabric.postgres.internal.ready;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.ready.LowWaterMarks.Look;
import io.flowfabric.postgres.internal.ready.LowWaterMarks.Stretch;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

/** R11: claims begin behind the work of their lane that was taken, and miss nothing else. */
class LowWaterMarksTest {
    private static final int LANE = 7;
    private static final LaneGate GATE = new LaneGate(LANE, 3);
    private static final long RANK = 5;

    private long time;
    private final LowWaterMarks marks = new LowWaterMarks(new BottomLooks(() -> time));

    @BeforeEach
    void a_hundred_were_taken() {
        take(marks.look(), 100);
        assertThat(mark()).isEqualTo(100);
    }

    @Test
    void work_that_comes_in_its_turn_moves_no_mark() {
        marks.queued(LANE, 101);

        assertThat(mark()).isEqualTo(100);
    }

    @Test
    void work_that_became_ready_out_of_its_turn_is_not_behind_the_mark() {
        marks.queued(LANE, 40);

        assertThat(mark()).isEqualTo(39);
    }

    @Test
    void another_lane_keeps_its_marks() {
        marks.queued(LANE + 1, 40);

        assertThat(mark()).isEqualTo(100);
    }

    @Test
    void a_claim_that_was_under_way_does_not_hide_what_it_could_not_see() {
        var underWay = marks.look();
        marks.queued(LANE, 150);

        take(underWay, 200);

        assertThat(mark()).isEqualTo(149);
        take(marks.look(), 200);
        assertThat(mark()).isEqualTo(200);
    }

    @Test
    void a_claim_during_which_very_much_was_queued_notes_nothing() {
        var underWay = marks.look();
        for (int i = 0; i < 1000; i++) {
            marks.queued(LANE, 300 + i);
        }

        take(underWay, 200);

        assertThat(mark()).isEqualTo(100);
    }

    @Test
    void once_a_second_a_claim_begins_at_the_bottom_and_less_often_when_that_takes_long() {
        pass(Duration.ofSeconds(1));
        var bottom = marks.look();
        assertThat(bottom.stretches()).isEmpty();
        pass(Duration.ofMillis(100));
        take(bottom, 100);

        pass(Duration.ofMillis(1_999));
        assertThat(mark()).isEqualTo(100);
        pass(Duration.ofMillis(1));
        assertThat(marks.look().stretches()).isEmpty();
    }

    @Test
    void a_claim_that_had_to_wait_puts_the_next_look_at_the_bottom_off_by_five_seconds_at_most() {
        pass(Duration.ofSeconds(1));
        var bottom = marks.look();
        pass(Duration.ofSeconds(10));
        take(bottom, 100);

        pass(Duration.ofSeconds(5));

        assertThat(marks.look().stretches()).isEmpty();
    }

    private void take(Look look, long seq) {
        marks.taken(look, List.of(new EntryPlace(GATE, new QueuePosition(RANK, true, seq))));
    }

    /** The number behind which the next claim begins with fresh work. */
    private long mark() {
        var stretches = marks.look().stretches();
        assertThat(stretches)
                .extracting(Stretch::gate, Stretch::toRank)
                .containsExactly(tuple(GATE, RANK), tuple(GATE, Long.MAX_VALUE));
        return stretches.getLast().from().seq();
    }

    private void pass(Duration duration) {
        time += duration.toNanos();
    }
}
