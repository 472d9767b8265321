package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rules 9 and 10: a recount finds what the quotas and the budgets say. */
abstract class RecountingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");

    RecountingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void where_nothing_was_ever_counted_there_is_nothing_to_count() {
        assertThat(recount()).isEqualTo(new QuotaRecount(0, List.of()));
        define(Quota.atOnce("mail", 2));
        assertThat(recount().drifts()).isEmpty();
    }

    @Test
    @BatchAnswers({"P55", "W9", "W37"})
    void what_runs_is_what_the_quotas_say_whatever_has_become_of_the_rest() {
        define(Quota.atOnce("mail", 9).rate(99, MINUTE));
        define(Quota.atOnce("customer", 9));
        world.submit(9, () -> work(MAIL.quota("customer", "ada")));
        var ben = world.submit(MAIL.quota("customer", "ben"));
        var worker = world.worker();
        var leases = worker.claim(5);
        world.end(complete(leases.get(0))).orThrow();
        world.end(retry(leases.get(1), MINUTE)).orThrow();
        world.cancel(idOf(leases.get(2)));
        var frail = world.frailWorker();
        frail.claim(2);
        world.bury(frail);
        world.claimByHand(ben, worker).orThrow();

        var recount = recount();

        assertThat(recount).isEqualTo(new QuotaRecount(3, List.of()));
        assertThat(recount.drift()).isZero();
        assertThat(view("mail").running()).isEqualTo(3);
        assertThat(view("mail").started()).isEqualTo(8);
        assertThat(describe(QuotaUse.of("customer", "ada")).running()).isEqualTo(2);
        assertThat(describe(QuotaUse.of("customer", "ben")).running()).isEqualTo(1);
    }

    @Test
    void what_a_dead_worker_holds_runs_until_it_is_taken_away() {
        define(Quota.atOnce("mail", 1));
        world.submit(MAIL);
        var frail = world.frailWorker();
        frail.claimOne();
        world.advance(frail.session().ttl());

        assertThat(recount().drifts()).isEmpty();
        assertThat(view("mail").running()).isEqualTo(1);
        world.tick();
        assertThat(recount().drifts()).isEmpty();
        assertThat(view("mail").running()).isZero();
    }

    @Test
    void a_deleted_quota_is_counted_too_and_another_namespace_is_not() {
        define(Quota.atOnce("mail", 2));
        define(Quota.atOnce("mail", 2).namespace(Scenario.ELSEWHERE));
        world.submit(MAIL);
        world.worker().claimOne();
        world.store().quotas().delete(Namespace.DEFAULT, "mail", Scenario.OLGA);

        assertThat(recount()).isEqualTo(new QuotaRecount(1, List.of()));
        assertThat(world.store().quotas().recount(Scenario.ELSEWHERE).drifts()).isEmpty();
        define(Quota.atOnce("mail", 2));
        assertThat(view("mail").running()).isEqualTo(1);
    }

    @Test
    void what_is_set_aside_is_what_the_budgets_say_whatever_has_become_of_the_rest() {
        define(Budget.of("house", "tokens", 1000));
        define(Budget.of("team", "tokens", 1000).bounds("cents", Bounds.hard(9)).parent("house"));
        world.submit(6, () -> work(Policy.DEFAULT.budget("team", Map.of("tokens", 10L))));
        var leases = world.worker().claim(5);
        spend(leases.get(0), 4, "a");
        spend(leases.get(1), 40, "b");
        world.end(complete(leases.get(1))).orThrow();
        world.end(retry(leases.get(2), MINUTE)).orThrow();
        world.cancel(idOf(leases.get(3)));
        var frail = world.frailWorker();
        frail.claim(1);
        world.bury(frail);

        assertThat(recountBudgets()).isEqualTo(new BudgetRecount(3, List.of()));
        assertThat(level("team")).isEqualTo(new Level(44, 16));
        assertThat(level("house")).isEqualTo(new Level(44, 16));
        world.store().budgets().delete(Namespace.DEFAULT, "team", Scenario.OLGA);
        assertThat(recountBudgets())
                .as("deleted ones too")
                .isEqualTo(new BudgetRecount(3, List.of()));
        assertThat(world.store().budgets().recount(Scenario.ELSEWHERE))
                .isEqualTo(new BudgetRecount(0, List.of()));
    }

    private BudgetRecount recountBudgets() {
        return world.store().budgets().recount(Namespace.DEFAULT);
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

    private void spend(Lease lease, long amount, String key) {
        var report = new UsageReport(lease.fence(), "team", "tokens", amount, key);
        world.store().leases().spend(List.of(report)).getFirst().orThrow();
    }

    private QuotaRecount recount() {
        return world.store().quotas().recount(Namespace.DEFAULT);
    }

    private void define(Quota quota) {
        world.store().quotas().define(quota, Scenario.OLGA);
    }

    private QuotaView view(String quota) {
        return describe(QuotaUse.of(quota));
    }

    private QuotaView describe(QuotaUse use) {
        return world.store().quotas().describe(Namespace.DEFAULT, use);
    }
}
