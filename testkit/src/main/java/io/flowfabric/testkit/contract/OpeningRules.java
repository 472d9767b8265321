package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * Rule 8: what a limit holds back is told of when the limit lets it go, so that no claim has to ask
 * again and again.
 */
abstract class OpeningRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");
    private static final Policy TEAM = Policy.DEFAULT.budget("team");

    OpeningRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_place_that_is_given_back_wakes_a_lane_behind_its_quota() {
        define(Quota.atOnce("mail", 1));
        var lease = world.begun(MAIL);

        isWoken(laneBehind(MAIL), () -> world.end(complete(lease)).orThrow());
    }

    @Test
    void a_quota_that_is_raised_wakes_the_lanes_behind_it() {
        define(Quota.atOnce("mail", 0));

        isWoken(laneBehind(MAIL), () -> define(Quota.atOnce("mail", 1)));
    }

    @Test
    void a_quota_that_is_deleted_wakes_the_lanes_behind_it() {
        define(Quota.atOnce("mail", 0));
        var quotas = world.store().quotas();

        isWoken(laneBehind(MAIL), () -> quotas.delete(Namespace.DEFAULT, "mail", Scenario.OLGA));
    }

    @Test
    void a_window_that_has_passed_wakes_the_lanes_behind_its_quota() {
        define(Quota.rate("mail", 1, MINUTE));
        world.begun(MAIL);

        isWoken(laneBehind(MAIL), () -> world.pass(MINUTE));
    }

    @Test
    void a_budget_that_is_raised_wakes_the_lanes_behind_it() {
        define(Budget.of("team", "tokens", 0));

        isWoken(laneBehind(TEAM), () -> define(Budget.of("team", "tokens", 10)));
    }

    @Test
    void a_budget_that_is_reset_wakes_the_lanes_behind_it() {
        define(Budget.of("team", "tokens", 10));
        useUp();
        var budgets = world.store().budgets();

        isWoken(laneBehind(TEAM), () -> budgets.reset(Namespace.DEFAULT, "team", Scenario.OLGA));
    }

    @Test
    void a_budget_that_is_deleted_wakes_the_lanes_behind_it() {
        define(Budget.of("team", "tokens", 0));
        var budgets = world.store().budgets();

        isWoken(laneBehind(TEAM), () -> budgets.delete(Namespace.DEFAULT, "team", Scenario.OLGA));
    }

    @Test
    void a_period_that_is_over_wakes_the_lanes_behind_its_budget() {
        define(Budget.of("team", "tokens", 10).period(MINUTE));
        useUp();

        isWoken(laneBehind(TEAM), () -> world.pass(MINUTE));
    }

    /** A lane where work waits that no worker is given. */
    private Lane laneBehind(Policy policy) {
        var lane = world.newLane();
        world.submit(work(policy).lane(lane));
        assertThat(world.worker(lane).claim(1)).isEmpty();
        return lane;
    }

    private void useUp() {
        var report = new UsageReport(world.begun(TEAM).fence(), "team", "tokens", 10, "all of it");
        world.store().leases().spend(List.of(report)).getFirst().orThrow();
    }

    private void define(Quota quota) {
        world.store().quotas().define(quota, Scenario.OLGA);
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, Scenario.OLGA);
    }

    private void isWoken(Lane lane, Runnable cause) {
        Hints.isWoken(world, lane, cause);
    }
}
