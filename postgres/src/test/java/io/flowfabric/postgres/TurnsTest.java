package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.store.Maintenance.Duty;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;

/** R20: what it costs many engines to take turns, and what a clock does to them. */
class TurnsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private final PostgresFixture world = new PostgresFixture();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void asking_before_it_is_time_writes_and_locks_nothing() {
        assertThat(asks()).isTrue();
        var before = row("xmin || ' ' || xmax || ' ' || ctid");

        assertThat(asks()).isFalse();
        world.advance(MINUTE.minusMillis(1));
        assertThat(asks()).isFalse();

        assertThat(row("xmin || ' ' || xmax || ' ' || ctid")).isEqualTo(before);
        world.advance(Duration.ofMillis(1));
        assertThat(asks()).isTrue();
    }

    @Test
    void a_clock_that_is_set_back_keeps_nobody_from_the_turn() {
        assertThat(asks()).isTrue();
        world.execute(
                "update %s.turn set taken = taken + %d"
                        .formatted(world.schema(), MINUTE.toMillis() - 1));
        assertThat(asks()).as("by less than a period").isFalse();

        world.execute("update %s.turn set taken = taken + 1".formatted(world.schema()));

        assertThat(asks()).as("by more").isTrue();
        assertThat(row("taken")).isEqualTo(Long.toString(world.now().toEpochMilli()));
    }

    private boolean asks() {
        return world.store().maintenance().takeTurn(Duty.RETENTION, MINUTE);
    }

    private String row(String columns) {
        return world.text("select %s from %s.turn".formatted(columns, world.schema()));
    }
}
