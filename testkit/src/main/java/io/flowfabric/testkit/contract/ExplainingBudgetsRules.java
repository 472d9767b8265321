package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation.Group;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Rule 8: work that a budget holds back says how it stands, and when it can be tried again. */
abstract class ExplainingBudgetsRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Policy TEAM = Policy.DEFAULT.budget("team-a");
    private static final Budget MILLION = Budget.of("team-a", "tokens", 1_000_000);

    ExplainingBudgetsRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void what_reserves_more_than_is_left_is_ahead_of_nothing() {
        world.store().budgets().define(Budget.of("team", "tokens", 10), Scenario.OLGA);
        world.submit(Policy.DEFAULT.priority(5).budget("team", Map.of("tokens", 20L)));
        var plain = world.submit();
        world.worker();

        assertThat(world.explain(plain).words()).contains("nothing is ahead of it");
    }

    @Test
    void work_behind_a_breached_budget_says_what_is_used_and_when_it_resets() {
        define(MILLION.period(HOUR));
        var resets = world.in(HOUR);
        spend(world.begun(TEAM), "team-a", 1_000_000);
        world.worker();
        var work = world.submit(TEAM);

        var explanation = world.explain(work);

        assertThat(explanation.words())
                .isEqualTo("budget team-a: tokens 1,000,000 of 1,000,000, resets at " + resets);
        assertThat(explanation.state()).isEqualTo(world.view(work).state());
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_BUDGET);
        assertThat(explanation.nextTry()).contains(resets);
        var view = world.store().budgets().describe(Namespace.DEFAULT, "team-a");
        assertThat(explanation.facts())
                .startsWith(new Fact.Budget(view, BudgetUse.of("team-a", Map.of())));
    }

    @Test
    void what_waits_for_what_others_have_set_aside_knows_no_time() {
        define(MILLION.period(HOUR));
        world.begun(reserving(600_000));
        world.worker();
        var work = world.submit(reserving(500_000));

        var explanation = world.explain(work);
        assertThat(explanation.words())
                .startsWith("budget team-a: tokens 0 of 1,000,000 used, 600,000 set aside, ")
                .endsWith(", 500,000 needed, resets at " + world.in(HOUR));
        assertThat(explanation.nextTry()).as("the reset frees nothing of that").isEmpty();

        spend(world.begun(reserving(1)), "team-a", 300_000);
        var smaller = world.submit(reserving(400_000));
        assertThat(world.explain(smaller).nextTry()).as("but this").contains(world.in(HOUR));
    }

    @Test
    void without_a_period_nobody_knows_when() {
        define(MILLION);
        spend(world.begun(TEAM), "team-a", 2_000_000);
        world.worker();
        var work = world.submit(TEAM);

        assertThat(world.explain(work).words())
                .isEqualTo("budget team-a: tokens 2,000,000 of 1,000,000");
        assertThat(world.explain(work).nextTry()).isEmpty();
    }

    @Test
    void the_last_of_all_that_is_shut_decides_when_it_can_be_tried() {
        define(MILLION.period(HOUR));
        world.store().quotas().define(Quota.rate("mail", 1, HOUR.multipliedBy(2)), Scenario.OLGA);
        var both = TEAM.quota("mail");
        spend(world.begun(both), "team-a", 1_000_000);
        world.worker();
        var work = world.submit(both);

        assertThat(world.explain(work).nextTry()).contains(world.in(HOUR.multipliedBy(2)));
        assertThat(world.explain(work).facts())
                .extracting(Fact::words)
                .startsWith(
                        "budget team-a: tokens 1,000,000 of 1,000,000, resets at " + world.in(HOUR),
                        "quota mail: 1 of 1 started within PT2H, the next at "
                                + world.in(HOUR.multipliedBy(2)));
    }

    @Test
    void a_budget_above_that_is_breached_is_named_and_the_one_below_is_told() {
        define(Budget.of("tenant", "tokens", 10));
        define(MILLION.parent("tenant"));
        spend(world.begun(TEAM), "team-a", 10);
        world.worker();
        var work = world.submit(TEAM);

        assertThat(world.explain(work).words()).isEqualTo("budget tenant: tokens 10 of 10");
        assertThat(world.explain(work).facts(Fact.Budget.class))
                .extracting(Fact::words)
                .containsExactly(
                        "budget tenant: tokens 10 of 10",
                        "budget team-a: tokens 10 of 1,000,000 used");
    }

    @Test
    void budgets_are_among_the_facts_of_what_is_held_back_by_something_else() {
        define(MILLION.bounds("cents", new Budget.Bounds(Optional.empty(), Optional.empty())));
        var needy = world.submit(TEAM.needs(Capabilities.of("gpu")));
        var ready = world.submit(TEAM);
        world.worker();
        var open = "budget team-a: cents 0 used, tokens 0 of 1,000,000 used";

        assertThat(world.explain(needy).facts()).extracting(Fact::words).contains(open);
        assertThat(world.explain(ready).facts()).extracting(Fact::words).contains(open);
        assertThat(world.explain(ready).words()).startsWith("ready: ");
    }

    @Test
    void what_a_budget_holds_back_is_not_ahead_and_is_counted_in_its_lane() {
        define(MILLION);
        define(Budget.of("team-b", "tokens", 1));
        spend(world.begun(TEAM), "team-a", 1_000_000);
        world.worker();
        world.submit(3, () -> work(TEAM.priority(9)));
        world.submit(2, () -> work(Policy.DEFAULT.budget("team-b").priority(9)));
        var work = world.submit();

        assertThat(world.explain(work).facts()).contains(Fact.Ahead.of(2));
        assertThat(world.explain(Lane.DEFAULT).groups())
                .containsExactly(
                        new Group(Situation.READY, "waiting for a worker", 3),
                        new Group(
                                Situation.SHORT_OF_BUDGET,
                                "budget team-a: tokens 1,000,000 of 1,000,000",
                                3));
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, Scenario.OLGA);
    }

    private static Policy reserving(long tokens) {
        return Policy.DEFAULT.budget("team-a", Map.of("tokens", tokens));
    }

    private void spend(Lease lease, String budget, long amount) {
        var report = new UsageReport(lease.fence(), budget, "tokens", amount, "a");
        world.store().leases().spend(List.of(report)).getFirst().orThrow();
    }
}
