package io.flowfabric.postgres.internal.feed;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuietPositionsTest {
    private final QuietPositions quiet = new QuietPositions();

    @Test
    void what_was_seen_behind_a_position_is_known_of_that_one_alone() {
        var position = FeedPosition.beginning(1, 0);

        assertThat(quiet.glance(position)).isNull();
        quiet.add(position, "a glance");
        assertThat(quiet.glance(position)).isEqualTo("a glance");
        assertThat(quiet.glance(FeedPosition.beginning(2, 0))).isNull();
    }
}
