package io.flowfabric.faults;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.Random;

/** One {@link Fire} at work that is bounded by quotas and at work that is bounded by budgets. */
class LimitsUnderFireTest {
    private final FaultScenario world = new FaultScenario();
    private final Random random = new Random(11);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void no_limit_is_exceeded_at_any_instant_and_what_was_taken_comes_back_once() {
        var quotas = new QuotasUnderFire(world, random);
        var budgets = new BudgetsUnderFire(world, random);
        quotas.define();
        budgets.define();
        var fire =
                new Fire(
                        world, random, () -> random.nextBoolean() ? quotas.work() : budgets.work());

        fire.burn(budgets::useUpAndGoOn);

        quotas.judge(fire);
        budgets.judge(fire);
        quotas.assertBurnt(fire);
        budgets.assertBurnt(fire);
    }
}
