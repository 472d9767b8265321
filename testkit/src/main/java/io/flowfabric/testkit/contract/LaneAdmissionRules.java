package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rules 9 and 10 for everything in a lane: quotas and budgets that the lane itself names. */
abstract class LaneAdmissionRules extends Rules {
    private static final LaneSettings PRESS = LaneSettings.DEFAULT.quota("press");
    private static final LaneSettings TEAM =
            LaneSettings.DEFAULT.budget("team", Map.of("tokens", 4L));

    LaneAdmissionRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_quota_of_a_lane_holds_for_what_waits_in_it_already_and_for_what_comes() {
        world.submit(2, Given::work);
        allowAtOnce("press", 1);
        world.configure(Lane.DEFAULT, PRESS);
        var later = world.submit(Submission.of("other kind", Payload.EMPTY));
        var worker = world.worker();

        for (int k = 0; k < 3; k++) {
            var leases = worker.claim(3);
            assertThat(leases).hasSize(1);
            assertThat(running("press")).isEqualTo(1);
            world.end(complete(leases.getFirst())).orThrow();
        }
        assertThat(world.view(later).state().terminal()).isTrue();
        assertThat(running("press")).isZero();
    }

    @Test
    void what_ran_before_does_not_count_and_what_runs_after_does_not_stay() {
        allowAtOnce("press", 1);
        world.submit(3, Given::work);
        var before = world.worker().claimOne();
        world.configure(Lane.DEFAULT, PRESS);
        var during = world.worker().claimOne();
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        var after = world.worker().claimOne();

        assertThat(running("press")).isEqualTo(1);
        world.end(complete(before)).orThrow();
        world.end(complete(after)).orThrow();
        assertThat(running("press")).isEqualTo(1);
        assertThat(world.store().quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
        world.end(complete(during)).orThrow();
        assertThat(running("press")).isZero();
        assertThat(world.store().quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
    }

    @Test
    void work_that_names_the_quota_of_its_lane_itself_counts_once() {
        allowAtOnce("press", 2);
        world.configure(Lane.DEFAULT, PRESS);
        world.submit(3, () -> work(Policy.DEFAULT.quota("press")));

        assertThat(world.worker().claim(3)).hasSize(2);
        assertThat(running("press")).isEqualTo(2);
    }

    @Test
    void the_quotas_of_work_and_of_its_lane_must_both_have_room() {
        allowAtOnce("press", 2);
        allowAtOnce("customer", 1);
        world.configure(Lane.DEFAULT, PRESS);
        var ann = Policy.DEFAULT.quota("customer", "ann");
        var first = world.submit(work(ann));
        world.submit(work(ann));
        var other = world.submit();
        world.submit();

        assertThat(world.worker().takeOneByOne(2)).containsExactly(first, other);
        assertThat(world.worker().claim(1)).isEmpty();
    }

    @Test
    void lanes_that_name_the_same_quota_share_it_and_others_are_free() {
        allowAtOnce("press", 1);
        var one = world.newLane();
        var two = world.newLane();
        world.configure(one, PRESS);
        world.configure(two, PRESS);
        world.submit(work().lane(one));
        world.submit(work().lane(two));
        world.submit();

        assertThat(world.worker(one, two).claim(2)).hasSize(1);
        assertThat(world.worker(one, two).claim(2)).isEmpty();
        assertThat(world.worker().claim(2)).hasSize(1);
    }

    @Test
    void an_operator_who_claims_by_hand_is_bound_by_the_lane() {
        allowAtOnce("press", 1);
        world.configure(Lane.DEFAULT, PRESS);
        var first = world.submit();
        var second = world.submit();
        var lease = world.claimByHand(first, world.worker()).orThrow();

        assertThat(world.claimByHand(second, world.worker()))
                .isConflict(Conflict.Code.NOT_CLAIMABLE);
        world.end(complete(lease)).orThrow();
        assertThat(world.claimByHand(second, world.worker())).isDone();
        assertThat(running("press")).isEqualTo(1);
    }

    @Test
    void work_behind_a_quota_of_its_lane_says_so() {
        allowAtOnce("press", 0);
        world.configure(Lane.DEFAULT, PRESS);
        world.worker();
        var work = world.submit();

        assertThat(world.view(work).state().situation()).isEqualTo(Situation.OVER_QUOTA);
        assertThat(world.explain(work).words()).isEqualTo("quota press: 0 of 0 running");
        assertThat(world.explain(work).facts(Fact.Quota.class)).hasSize(1);
        assertThat(world.explain(Lane.DEFAULT).in(Situation.OVER_QUOTA)).isEqualTo(1);
        assertThat(world.store().queries().counts(Namespace.DEFAULT).get(Lane.DEFAULT))
                .containsEntry(PublicState.RATE_LIMITED, 1L);
    }

    @Test
    void a_budget_of_a_lane_sets_aside_for_everything_that_starts_from_it() {
        allow("team", 10);
        world.submit(2, Given::work);
        world.configure(Lane.DEFAULT, TEAM);
        world.submit(2, Given::work);

        var leases = world.worker().claim(4);

        assertThat(leases).hasSize(2);
        assertThat(level("team")).isEqualTo(new Level(0, 8));
        world.end(complete(leases.getFirst())).orThrow();
        assertThat(level("team")).isEqualTo(new Level(0, 4));
    }

    @Test
    void what_work_uses_is_settled_against_what_its_lane_set_aside() {
        allow("team", 10);
        world.configure(Lane.DEFAULT, TEAM);
        world.submit(3, Given::work);
        var lease = world.worker().claimOne();

        spend(lease, 3);
        assertThat(level("team")).isEqualTo(new Level(3, 1));
        spend(lease, 5);
        assertThat(level("team")).isEqualTo(new Level(8, 0));
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        world.end(complete(lease)).orThrow();
        assertThat(level("team")).isEqualTo(new Level(8, 0));
    }

    @Test
    void of_a_budget_that_work_and_lane_both_name_the_larger_reservation_counts() {
        allow("team", 100);
        world.configure(Lane.DEFAULT, TEAM);
        world.submit(Policy.DEFAULT.budget("team", Map.of("tokens", 7L)));
        world.submit(Policy.DEFAULT.budget("team", Map.of("tokens", 1L)));
        var worker = world.worker();

        worker.claimOne();
        assertThat(level("team")).isEqualTo(new Level(0, 7));
        worker.claimOne();
        assertThat(level("team")).isEqualTo(new Level(0, 11));
    }

    @Test
    void work_behind_a_budget_of_its_lane_says_so_and_goes_on_when_it_is_raised() {
        allow("team", 3);
        world.configure(Lane.DEFAULT, TEAM);
        var work = world.submit();
        world.worker();

        assertThat(world.view(work).state().situation()).isEqualTo(Situation.SHORT_OF_BUDGET);
        assertThat(world.explain(work).words()).contains("budget team");
        assertThat(world.explain(Lane.DEFAULT).in(Situation.SHORT_OF_BUDGET)).isEqualTo(1);
        assertThat(world.claimByHand(work, world.worker())).isRefused();

        allow("team", 4);
        assertThat(world.worker().take(1)).containsExactly(work);
    }

    @Test
    void a_breach_cancels_what_started_from_the_lane_while_it_named_the_budget() {
        var cancelling = Budget.of("team", "tokens", 10).enforcement(Budget.Enforcement.CANCEL);
        world.store().budgets().define(cancelling, Scenario.OLGA);
        world.submit(3, Given::work);
        var before = world.worker().claimOne();
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT.budget("team"));
        var during = world.worker().claimOne();
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        var after = world.worker().claimOne();

        spend(during, 10);
        world.tick();

        assertThat(world.view(during).state().situation()).isEqualTo(Situation.CANCELLED);
        assertThat(world.view(before).state().situation()).isEqualTo(Situation.RUNNING);
        assertThat(world.view(after).state().situation()).isEqualTo(Situation.RUNNING);
    }

    @Test
    void a_lane_cannot_name_what_nobody_defined() {
        allow("team", 10);
        world.submit();
        var before = world.everything();

        assertThat(asked(() -> configured(PRESS))).isNotFound("quota");
        assertThat(asked(() -> configured(LaneSettings.DEFAULT.budget("house"))))
                .isNotFound("budget");
        assertThat(asked(() -> configured(TEAM.budget("team", Map.of("cents", 1L)))))
                .isNotFound("dimension of budget team");
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_lane_cannot_name_what_was_deleted() {
        allowAtOnce("press", 1);
        allow("team", 10);
        deletedQuota("press");
        deletedBudget("team");
        var before = world.everything();

        assertThat(asked(() -> configured(PRESS))).isNotFound("quota");
        assertThat(asked(() -> configured(LaneSettings.DEFAULT.budget("team"))))
                .isNotFound("budget");
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void what_a_lane_names_cannot_be_deleted() {
        allowAtOnce("press", 1);
        allow("team", 10);
        world.configure(Lane.DEFAULT, PRESS.budget("team"));
        var before = world.everything();

        assertThat(asked(() -> deletedQuota("press"))).isConflict(Conflict.Code.NAMED_BY_LANE);
        assertThat(asked(() -> deletedBudget("team"))).isConflict(Conflict.Code.NAMED_BY_LANE);
        assertThat(world.everything()).isEqualTo(before);

        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        deletedQuota("press");
        deletedBudget("team");
    }

    @Test
    void a_lane_says_what_it_names() {
        allowAtOnce("press", 1);
        allow("team", 10);
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        var settings = TEAM.quota("press");

        world.configure(Lane.DEFAULT, settings);

        assertThat(world.store().lanes().describe(Lane.DEFAULT).settings()).isEqualTo(settings);
        assertThat(feed.read())
                .containsExactly(
                        new Event.LaneChange(Lane.DEFAULT, settings, Scenario.OLGA, world.now()));
    }

    @Test
    void the_policy_of_work_is_its_own() {
        allowAtOnce("press", 1);
        world.configure(Lane.DEFAULT, PRESS);
        world.submit();
        var lease = world.worker().claimOne();

        assertThat(lease.policy()).isEqualTo(Policy.DEFAULT);
        assertThat(world.view(idOf(lease)).policy()).isEqualTo(Policy.DEFAULT);
    }

    private void allowAtOnce(String quota, int most) {
        world.store().quotas().define(Quota.atOnce(quota, most), Scenario.OLGA);
    }

    private void allow(String budget, long tokens) {
        world.store().budgets().define(Budget.of(budget, "tokens", tokens), Scenario.OLGA);
    }

    private LaneSettings configured(LaneSettings settings) {
        return world.store().lanes().configure(Lane.DEFAULT, settings, Scenario.OLGA).settings();
    }

    private String deletedQuota(String quota) {
        world.store().quotas().delete(Namespace.DEFAULT, quota, Scenario.OLGA);
        return quota;
    }

    private String deletedBudget(String budget) {
        world.store().budgets().delete(Namespace.DEFAULT, budget, Scenario.OLGA);
        return budget;
    }

    private int running(String quota) {
        return world.store().quotas().describe(Namespace.DEFAULT, QuotaUse.of(quota)).running();
    }

    private Level level(String budget) {
        var view = world.store().budgets().describe(Namespace.DEFAULT, budget);
        return view.levels().getOrDefault("tokens", Level.ZERO);
    }

    private void spend(Lease lease, long amount) {
        var report = new UsageReport(lease.fence(), "team", "tokens", amount, "report " + amount);
        world.store().leases().spend(List.of(report)).getFirst().orThrow();
    }
}
