package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.maintenance.PostgresMaintenance;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.DueFloor;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;
import io.flowfabric.postgres.internal.ready.PostgresWakeups;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.Optional;
import java.util.stream.LongStream;

/** R11: a sweep of the timers remembers up to where it found nothing, for the next one. */
class SweptTimersTest {
    private static final long MARGIN = 250;

    private final PostgresFixture fixture = new PostgresFixture();
    private final DueFloor floor = new DueFloor();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void where_nothing_was_due_the_next_sweep_begins_a_moment_before_the_time_of_the_last() {
        var db = ((PostgresStore) fixture.store()).database();
        var sweeps =
                new PostgresMaintenance(
                        new PostgresContext(
                                db,
                                Catalog.empty(),
                                new LowWaterMarks(),
                                new CrowdedLanes(db),
                                floor,
                                new PostgresWakeups(),
                                Optional.empty(),
                                Optional.of(fixture::now)));

        sweeps.tick(Chore.TIMERS, 10);

        // Once a second a look begins at the bottom all the same; the one after it does not.
        assertThat(LongStream.generate(() -> floor.look().from()).limit(10))
                .contains(fixture.now().toEpochMilli() - MARGIN);
    }
}
