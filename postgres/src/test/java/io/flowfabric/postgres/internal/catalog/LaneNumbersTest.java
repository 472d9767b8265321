package io.flowfabric.postgres.internal.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.flowfabric.core.Lane;
import io.flowfabric.postgres.internal.catalog.LaneNumbers.ByNumber;

import org.junit.jupiter.api.Test;

import java.util.Map;

class LaneNumbersTest {
    private final ByNumber lanes = new ByNumber(Map.of(7, Lane.DEFAULT));

    @Test
    void a_lane_is_found_by_its_number() {
        assertThat(lanes.lane(7)).isEqualTo(Lane.DEFAULT);
    }

    @Test
    void a_number_that_no_lane_has_is_named() {
        assertThatNullPointerException()
                .isThrownBy(() -> lanes.lane(8))
                .withMessage("no lane has the number 8");
    }
}
