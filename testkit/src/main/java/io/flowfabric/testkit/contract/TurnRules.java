package io.flowfabric.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.store.Maintenance.Duty;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.function.Supplier;

/** R20: what one engine does for all of them is done by one of them, in each period. */
abstract class TurnRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final int ENGINES = 16;
    private static final int ROUNDS = 10;

    TurnRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void one_of_those_who_ask_has_the_turn() {
        assertThat(asks(Duty.RETENTION)).isTrue();

        assertThat(asks(Duty.RETENTION)).isFalse();
        assertThat(asks(Duty.RETENTION)).isFalse();
    }

    @Test
    void the_next_turn_comes_when_the_period_is_over_and_not_before() {
        asks(Duty.RETENTION);

        world.advance(MINUTE.minus(MOMENT));
        assertThat(asks(Duty.RETENTION)).isFalse();

        world.advance(MOMENT);
        assertThat(asks(Duty.RETENTION)).isTrue();
        assertThat(asks(Duty.RETENTION)).isFalse();
    }

    @Test
    void a_turn_that_nothing_came_of_costs_one_period() {
        asks(Duty.RETENTION);

        for (int i = 0; i < 3; i++) {
            world.advance(MINUTE.dividedBy(3));
            // Whoever asks too early puts nothing off.
            assertThat(asks(Duty.RETENTION)).isEqualTo(i == 2);
        }
    }

    @Test
    void turns_at_different_duties_have_nothing_to_do_with_each_other() {
        assertThat(asks(Duty.RETENTION)).isTrue();
        assertThat(asks(Duty.RECOUNT)).isTrue();

        world.advance(MINUTE);
        assertThat(asks(Duty.RECOUNT)).isTrue();
        assertThat(asks(Duty.RETENTION)).isTrue();
    }

    @Test
    void the_period_is_that_of_the_caller() {
        asks(Duty.RECOUNT);
        world.advance(MINUTE.dividedBy(2));

        assertThat(asks(Duty.RECOUNT)).isFalse();
        assertThat(world.store().maintenance().takeTurn(Duty.RECOUNT, MINUTE.dividedBy(2)))
                .isTrue();
        assertThat(asks(Duty.RECOUNT)).isFalse();
    }

    @Test
    void of_many_who_ask_at_once_one_has_the_turn() {
        for (int round = 0; round < ROUNDS; round++) {
            var answers = Crowd.of(ENGINES, i -> asks(Duty.RETENTION));

            assertThat(answers).containsOnlyOnce(true);
            world.advance(MINUTE);
        }
    }

    private boolean asks(Duty duty) {
        return world.store().maintenance().takeTurn(duty, MINUTE);
    }
}
