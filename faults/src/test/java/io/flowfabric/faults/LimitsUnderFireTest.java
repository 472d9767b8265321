package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.util.Random;

/** One {@link Fire} at work that is bounded by quotas and at work that is bounded by budgets. */
class LimitsUnderFireTest {
    private final Random random = new Random(11);

    @Test
    void no_limit_is_exceeded_at_any_instant_and_what_was_taken_comes_back_once() {
        try (var world = StoreKind.POSTGRES.scenario()) {
            var quotas = new QuotasUnderFire(world, random);
            var budgets = new BudgetsUnderFire(world, random);
            quotas.define();
            budgets.define();
            var fire =
                    new Fire(
                            world,
                            random,
                            () -> random.nextBoolean() ? quotas.work() : budgets.work());

            fire.burn(budgets::useUpAndGoOn);

            assertThat(quotas.judge(fire)).isEqualTo(QuotasUnderFire.METERS);
            budgets.judge(fire);
            quotas.assertBurnt(fire);
            budgets.assertBurnt(fire);
        }
    }

    /** There a server cannot note by itself how far a budget was ever overshot; a soak judges. */
    @Test
    void no_quota_is_exceeded_on_valkey_at_any_instant_and_its_places_come_back_once() {
        try (var world = StoreKind.VALKEY.scenario()) {
            var quotas = new QuotasUnderFire(world, random);
            quotas.define();
            var fire =
                    new Fire(
                            world,
                            random,
                            () ->
                                    random.nextBoolean()
                                            ? quotas.work()
                                            : QuotasUnderFire.plainWork());

            fire.burn(() -> {});

            assertThat(quotas.judge(fire)).isPositive();
            quotas.assertBurnt(fire);
        }
    }
}
