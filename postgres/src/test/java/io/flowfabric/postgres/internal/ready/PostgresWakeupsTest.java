package io.flowfabric.postgres.internal.ready;

import static io.flowfabric.postgres.internal.ready.PostgresWakeups.News.PLACES;
import static io.flowfabric.postgres.internal.ready.PostgresWakeups.News.WORK;
import static io.flowfabric.postgres.internal.ready.PostgresWakeups.News.WORK_AND_PLACES;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** R20: what is to be told of one lane before the next announcement is told at once. */
class PostgresWakeupsTest {
    @Test
    void the_same_news_again_are_the_same_news() {
        assertThat(WORK.and(WORK)).isEqualTo(WORK);
        assertThat(PLACES.and(PLACES)).isEqualTo(PLACES);
        assertThat(WORK_AND_PLACES.and(WORK_AND_PLACES)).isEqualTo(WORK_AND_PLACES);
    }

    @Test
    void work_and_then_places_or_the_other_way_round_are_both() {
        assertThat(WORK.and(PLACES)).isEqualTo(WORK_AND_PLACES);
        assertThat(PLACES.and(WORK)).isEqualTo(WORK_AND_PLACES);
        assertThat(WORK_AND_PLACES.and(WORK)).isEqualTo(WORK_AND_PLACES);
        assertThat(PLACES.and(WORK_AND_PLACES)).isEqualTo(WORK_AND_PLACES);
    }
}
