package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rule 9: a budget that cancels ends what runs, and keeps waiting what waits. */
abstract class BreachingRules extends Rules {
    private static final Budget TEAM =
            Budget.of("team", "tokens", 100).enforcement(Enforcement.CANCEL);
    private static final Policy DRAWS = Policy.DEFAULT.budget("team", Map.of("tokens", 10L));
    private static final String BREACH = "budget team: tokens 100 of 100";

    BreachingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_breach_cancels_all_that_runs_and_draws_on_the_budget() {
        define(TEAM);
        world.submit(2, () -> work(DRAWS));
        var free = world.submit();
        var worker = world.worker();
        var leases = worker.claim(3);

        var answer = spend(leases.getFirst(), "team", 100);

        assertThat(answer.orThrow().breached()).as("the report is heard").isTrue();
        for (Lease lease : leases.subList(0, 2)) {
            assertThat(world.lastStep(idOf(lease)).transition()).isEqualTo(Transition.CANCEL);
            assertThat(world.lastStep(idOf(lease)).by()).contains(Attribution.engine(BREACH));
            assertThat(world.view(lease).failure()).contains(Failure.of(Failure.CANCELLED, BREACH));
            assertThat(world.report(lease, 50)).as("its worker is fenced").isLeaseLost();
            assertThat(world.end(complete(lease))).isLeaseLost();
        }
        assertThat(world.view(free).state().publicState()).isEqualTo(PublicState.ACTIVE);
        assertThat(world.end(complete(leases.get(2)))).isDone();
    }

    @Test
    void what_was_cancelled_gives_back_its_places_and_what_was_set_aside() {
        define(TEAM);
        world.store().quotas().define(Quota.atOnce("mail", 2), Scenario.OLGA);
        world.submit(2, () -> work(DRAWS.quota("mail")));
        var leases = world.worker().claim(2);
        assertThat(level("team")).isEqualTo(new Level(0, 20));

        spend(leases.getFirst(), "team", 100).orThrow();

        assertThat(level("team")).isEqualTo(new Level(100, 0));
        assertThat(
                        world.store()
                                .quotas()
                                .describe(Namespace.DEFAULT, QuotaUse.of("mail"))
                                .running())
                .isZero();
        assertThat(world.store().budgets().recount(Namespace.DEFAULT).drifts()).isEmpty();
        assertThat(world.store().quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
    }

    @Test
    void what_was_only_granted_goes_back_to_wait() {
        world.store().keys().first();
        define(TEAM);
        var works = world.submit(2, () -> work(DRAWS));
        var worker = world.worker();
        var lease = worker.claimOne();
        var grant = worker.grantedOne();

        spend(lease, "team", 100).orThrow();

        assertThat(worker.redeem(grant)).isDenied(Denied.Code.UNKNOWN_GRANT);
        assertThat(world.lastStep(works.getLast()).transition()).isEqualTo(Transition.FORFEIT);
        assertThat(world.lastStep(works.getLast()).by()).contains(Attribution.engine(BREACH));
        assertThat(level("team")).isEqualTo(new Level(100, 0));
    }

    @Test
    void what_waits_is_not_cancelled_and_goes_on_when_there_is_room_again() {
        define(TEAM);
        var lease = begun(DRAWS);
        var waiting = world.submit(DRAWS);
        spend(lease, "team", 100).orThrow();

        assertThat(world.worker().claim(1)).isEmpty();
        assertThat(world.transitions(waiting)).containsExactly(Transition.SUBMIT);

        world.store().budgets().reset(Namespace.DEFAULT, "team", Scenario.OLGA);
        assertThat(world.worker().take(1)).containsExactly(waiting);
    }

    @Test
    void a_budget_above_cancels_what_draws_on_those_below_it() {
        define(TEAM);
        define(Budget.of("one", "tokens", 1000).parent("team"));
        define(Budget.of("two", "tokens", 1000).parent("team"));
        var one = begun(Policy.DEFAULT.budget("one"));
        var two = begun(Policy.DEFAULT.budget("two"));
        var other = begun(Policy.DEFAULT);

        spend(one, "one", 100).orThrow();

        assertThat(world.lastStep(idOf(one)).by()).contains(Attribution.engine(BREACH));
        assertThat(world.lastStep(idOf(two)).by()).contains(Attribution.engine(BREACH));
        assertThat(world.end(complete(other))).isDone();
    }

    @Test
    void a_budget_below_cancels_nothing_beside_it() {
        define(Budget.of("house", "tokens", 1000));
        define(TEAM.parent("house"));
        define(Budget.of("other", "tokens", 1000).parent("house"));
        var mine = begun(DRAWS);
        var others = begun(Policy.DEFAULT.budget("other"));

        spend(mine, "team", 100).orThrow();

        assertThat(world.report(mine, 50)).isLeaseLost();
        assertThat(world.end(complete(others))).isDone();
    }

    @Test
    void lowering_a_limit_below_what_is_used_cancels_too() {
        define(Budget.of("team", "tokens", 1000));
        var lease = begun(DRAWS);
        spend(lease, "team", 100).orThrow();
        define(Budget.of("team", "tokens", 100));
        assertThat(world.report(lease, 50)).as("that one only stops").isDone();

        define(TEAM);

        assertThat(world.lastStep(idOf(lease)).by()).contains(Attribution.engine(BREACH));
    }

    @Test
    void what_was_cancelled_is_explained_by_the_breach() {
        define(TEAM);
        var lease = begun(DRAWS);
        spend(lease, "team", 100).orThrow();

        assertThat(world.explain(idOf(lease)).words())
                .isEqualTo(
                        "cancelled at %s; cancelled: budget team: tokens 100 of 100"
                                .formatted(world.now()));
    }

    @Test
    void a_breach_ends_more_than_one_round_holds_and_leaves_nothing_for_the_timers() {
        define(TEAM);
        world.submit(30, () -> work(Policy.DEFAULT.budget("team")));
        var leases = world.worker().claim(30);

        spend(leases.getFirst(), "team", 100).orThrow();

        assertThat(world.tick(Chore.TIMERS, 100).processed()).isZero();
        assertThat(leases)
                .allSatisfy(
                        lease ->
                                assertThat(world.view(lease).state().publicState())
                                        .isEqualTo(PublicState.CANCELLED));
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, Scenario.OLGA);
    }

    private Level level(String budget) {
        return world.store()
                .budgets()
                .describe(Namespace.DEFAULT, budget)
                .levels()
                .getOrDefault("tokens", Level.ZERO);
    }

    private Lease begun(Policy policy) {
        return world.begun(policy);
    }

    private Answer<BudgetView> spend(Lease lease, String budget, long amount) {
        return world.store()
                .leases()
                .spend(List.of(new UsageReport(lease.fence(), budget, "tokens", amount, "a")))
                .getFirst();
    }
}
