package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.LeasePurpose;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class QueuePlaceTest {
    private static QueuePlace at(
            LaneSettings lane, int priority, LeasePurpose next, long round, long seq) {
        return QueuePlace.of(lane, priority, NOON, next, round, seq);
    }

    @Test
    void priority_then_begun_then_the_order_of_submission() {
        var lane = LaneSettings.DEFAULT;
        var urgent = at(lane, 5, LeasePurpose.FIRST, 0, 9);
        var begun = at(lane, 0, LeasePurpose.RETRY, 0, 8);
        var early = at(lane, 0, LeasePurpose.FIRST, 0, 1);
        var late = at(lane, 0, LeasePurpose.FIRST, 0, 2);

        assertThat(urgent).isLessThan(begun);
        assertThat(begun).isLessThan(early);
        assertThat(early).isLessThan(late);
    }

    @Test
    void where_keys_share_the_round_counts_for_fresh_work_alone() {
        var lane = LaneSettings.DEFAULT.sharing(true);

        assertThat(at(lane, 0, LeasePurpose.FIRST, 1, 9))
                .isLessThan(at(lane, 0, LeasePurpose.FIRST, 2, 1));
        assertThat(at(lane, 0, LeasePurpose.RECLAIM, 7, 9))
                .isLessThan(at(lane, 0, LeasePurpose.FIRST, 1, 1));
        assertThat(at(lane, 1, LeasePurpose.FIRST, 900, 9))
                .isLessThan(at(lane, 0, LeasePurpose.FIRST, 1, 1));
    }

    @Test
    void where_work_ages_its_age_makes_up_for_priority() {
        var lane = LaneSettings.DEFAULT.ageing(Duration.ofSeconds(1));
        var old = QueuePlace.of(lane, 0, NOON.minusSeconds(2), LeasePurpose.FIRST, 0, 1);

        assertThat(old).isLessThan(at(lane, 1, LeasePurpose.FIRST, 0, 2));
        assertThat(at(lane, 3, LeasePurpose.FIRST, 0, 2)).isLessThan(old);
    }
}
