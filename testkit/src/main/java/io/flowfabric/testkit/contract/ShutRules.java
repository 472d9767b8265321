package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rule 8: a claim says what kept work waiting that it could otherwise have given out. */
abstract class ShutRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Policy MAIL = Policy.DEFAULT.quota("mail");
    private static final Policy TEAM = Policy.DEFAULT.budget("team");

    ShutRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_claim_that_meets_nothing_says_nothing() {
        define(Quota.atOnce("mail", 2));
        world.submit(2, () -> work(MAIL));

        var claimed = world.worker().ask(4);

        assertThat(claimed.leases()).hasSize(2);
        assertThat(claimed.shut()).isEmpty();
    }

    @Test
    void a_full_quota_is_told_by_what_is_full() {
        define(Quota.atOnce("mail", 1));
        define(Quota.rate("calls", 1, MINUTE));
        world.submit(2, () -> work(MAIL));
        world.submit(2, () -> work(Policy.DEFAULT.quota("calls")));
        var worker = world.worker();
        assertThat(worker.ask(4).leases()).hasSize(2);

        var claimed = worker.ask(4);

        assertThat(claimed.leases()).isEmpty();
        assertThat(claimed.shut())
                .containsExactlyInAnyOrder(
                        AdmissionBlock.Quota.CONCURRENCY, AdmissionBlock.Quota.RATE);
        world.pass(MINUTE);
        assertThat(worker.ask(4).shut()).containsExactly(AdmissionBlock.Quota.CONCURRENCY);
    }

    @Test
    void a_quota_that_is_full_in_both_ways_is_told_in_both() {
        define(
                new Quota(
                        Quota.atOnce("mail", 1).namespace(),
                        "mail",
                        Quota.atOnce("mail", 1).concurrency(),
                        Quota.rate("mail", 1, MINUTE).rate()));
        world.submit(2, () -> work(MAIL));
        world.worker().claimOne();

        assertThat(world.worker().ask(1).shut())
                .containsExactlyInAnyOrder(
                        AdmissionBlock.Quota.CONCURRENCY, AdmissionBlock.Quota.RATE);
    }

    @Test
    void a_spent_budget_is_told_by_the_dimension_that_is_spent() {
        define(Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(5)));
        world.submit(2, () -> work(TEAM));
        var free = world.submit();
        spend(world.worker().claimOne(), "cents", 5);

        var claimed = world.worker().ask(4);

        assertThat(claimed.leases()).extracting(Given::idOf).containsExactly(free);
        assertThat(claimed.shut()).containsExactly(new AdmissionBlock.Budget("cents"));
    }

    @Test
    void a_budget_with_too_little_left_to_set_aside_is_told_as_well() {
        define(Budget.of("team", "tokens", 100));
        world.submit(2, () -> work(Policy.DEFAULT.budget("team", Map.of("tokens", 60L))));
        var lease = world.worker().claimOne();

        assertThat(world.worker().ask(1).shut())
                .containsExactly(new AdmissionBlock.Budget("tokens"));

        world.end(complete(lease)).orThrow();
        assertThat(world.worker().ask(1).shut()).isEmpty();
    }

    @Test
    void a_budget_that_is_set_aside_to_the_last_unit_is_told_to_work_that_needs_one_unit() {
        define(Budget.of("team", "tokens", 2));
        world.submit(3, () -> work(Policy.DEFAULT.budget("team", Map.of("tokens", 1L))));

        assertThat(world.worker().ask(3).leases()).hasSize(2);

        assertThat(world.worker().ask(3).shut())
                .containsExactly(new AdmissionBlock.Budget("tokens"));
    }

    @Test
    void a_budget_above_the_one_that_was_named_is_told_like_it() {
        define(Budget.of("company", "tokens", 10));
        define(Budget.of("team", "tokens", 100).parent("company"));
        world.submit(2, () -> work(TEAM));
        spend(world.worker().claimOne(), "tokens", 10);

        assertThat(world.worker().ask(1).shut())
                .containsExactly(new AdmissionBlock.Budget("tokens"));
    }

    // R31
    @Test
    void a_claim_for_a_worker_tells_what_is_shut_as_its_own_claim_does() {
        world.store().keys().first();
        define(Quota.atOnce("mail", 1));
        define(Budget.of("team", "tokens", 100));
        world.submit(2, () -> work(MAIL));
        world.submit(2, () -> work(TEAM));
        var worker = world.worker();
        assertThat(worker.askForGrants(1).shut()).isEmpty();
        spend(worker.claimOne(), "tokens", 100);

        var claimed = worker.askForGrants(4);

        assertThat(claimed.grants()).isEmpty();
        assertThat(claimed.shut())
                .containsExactlyInAnyOrder(
                        AdmissionBlock.Quota.CONCURRENCY, new AdmissionBlock.Budget("tokens"));
    }

    @Test
    void what_only_warns_or_is_gone_is_in_nobodys_way() {
        define(Budget.of("team", "tokens", 1).enforcement(Enforcement.WARN));
        define(Quota.atOnce("mail", 1));
        world.submit(2, () -> work(TEAM));
        world.submit(2, () -> work(MAIL));
        var worker = world.worker();
        spend(worker.claimOne(), "tokens", 2);
        worker.ask(4);
        world.store().quotas().delete(world.worker().session().namespace(), "mail", Scenario.OLGA);

        var claimed = worker.ask(4);

        assertThat(claimed.leases()).hasSize(1);
        assertThat(claimed.shut()).isEmpty();
    }

    @Test
    void a_full_quota_that_nothing_waits_for_is_not_told() {
        define(Quota.atOnce("mail", 1));
        world.submit(MAIL);
        world.worker().claimOne();

        assertThat(world.worker().ask(1).shut()).isEmpty();
    }

    @Test
    void what_the_worker_could_not_do_anyway_is_not_told() {
        define(Quota.atOnce("mail", 0));
        world.submit(MAIL.needs(Capabilities.of("gpu")));
        world.submit(work(MAIL).lane(world.newLane()));

        assertThat(world.worker().ask(1).shut()).isEmpty();
    }

    @Test
    void a_repeat_tells_of_nothing() {
        define(Quota.atOnce("mail", 1));
        world.submit(MAIL);
        var worker = world.worker();
        worker.ask(1, 1);
        world.submit(MAIL);

        var repeat = worker.ask(1, 1);

        assertThat(repeat.leases()).hasSize(1);
        assertThat(repeat.shut()).isEmpty();
        assertThat(worker.ask(2, 1).shut()).containsExactly(AdmissionBlock.Quota.CONCURRENCY);
    }

    @Test
    void many_keys_that_are_full_are_one_thing_that_is_shut() {
        define(Quota.atOnce("customer", 1));
        for (int key = 0; key < 100; key++) {
            var policy = Policy.DEFAULT.quota("customer", "c" + key);
            world.submit(2, () -> work(policy));
        }
        assertThat(world.worker().ask(200).leases()).hasSize(100);

        assertThat(world.worker().ask(200).shut())
                .containsExactly(AdmissionBlock.Quota.CONCURRENCY);
    }

    private void define(Quota quota) {
        world.store().quotas().define(quota, Scenario.OLGA);
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, Scenario.OLGA);
    }

    private void spend(Lease lease, String dimension, long amount) {
        world.store()
                .leases()
                .spend(List.of(new UsageReport(lease.fence(), "team", dimension, amount, "a")))
                .getFirst()
                .orThrow();
    }
}
