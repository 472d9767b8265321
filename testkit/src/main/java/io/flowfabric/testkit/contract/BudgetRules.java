package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Rules 8 and 9: what is used up, what is set aside, and what waits for it. */
abstract class BudgetRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);
    private static final Policy TEAM = Policy.DEFAULT.budget("team");

    BudgetRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P54", "W16"})
    void work_stops_when_a_hard_limit_is_reached_and_not_before() {
        define(Budget.of("team", "tokens", 100));
        world.submit(3, () -> work(TEAM));
        var first = world.worker().claimOne();
        assertThat(spend(first, 99, "a").breached()).isFalse();
        var second = world.worker().claimOne();

        assertThat(spend(second, 1, "b").breached()).isTrue();

        assertThat(world.worker().claim(1)).isEmpty();
        assertThat(spend(first, 50, "c").levels()).containsEntry("tokens", new Level(150, 0));
        assertThat(world.end(complete(first))).isDone();
    }

    @Test
    void while_more_is_set_aside_than_there_is_nothing_starts_that_draws_on_it() {
        define(Budget.of("team", "tokens", 100));
        var lease = begun(TEAM.budget("team", Map.of("tokens", 80L)));
        define(Budget.of("team", "tokens", 50));
        var frugal = world.submit(TEAM);

        assertThat(world.worker().claim(1)).isEmpty();
        assertThat(world.view(frugal).state().publicState()).isEqualTo(PublicState.RATE_LIMITED);

        world.end(complete(lease)).orThrow();
        assertThat(world.worker().take(1)).containsExactly(frugal);
    }

    @Test
    @BatchAnswers({"P60", "W24"})
    void what_waits_for_a_budget_says_so_and_is_in_nobodys_way() {
        define(Budget.of("team", "tokens", 1_000_000).period(HOUR));
        var resets = world.in(HOUR);
        var lease = begun(TEAM);
        spend(lease, 1_000_000, "a");
        var waiting = world.submit(TEAM.priority(9000));
        var free = world.submit();

        assertThat(world.view(waiting))
                .reads(
                        new Blocked(
                                BlockedBy.BUDGET,
                                "budget team: tokens 1,000,000 of 1,000,000, resets at " + resets,
                                new Ready(LeasePurpose.FIRST)));
        assertThat(world.find(Search.in(Namespace.DEFAULT).states(PublicState.RATE_LIMITED)))
                .containsExactly(waiting);
        assertThat(world.worker().take(2)).containsExactly(free);
    }

    @Test
    @BatchAnswers({"P58", "W38"})
    void the_same_report_counts_once_and_its_key_belongs_to_the_budget() {
        define(Budget.of("team", "tokens", 100));
        define(Budget.of("other", "tokens", 100));
        var lease = begun(TEAM);
        spend(lease, 10, "a");

        assertThat(spend(lease, 10, "a").levels()).containsEntry("tokens", new Level(10, 0));
        assertThat(report(lease, "team", 11, "a")).isConflict(Conflict.Code.SPENT_DIFFERENTLY);
        assertThat(report(begun(TEAM), "team", 10, "a"))
                .isConflict(Conflict.Code.SPENT_DIFFERENTLY);
        assertThat(report(lease, "other", 11, "a")).isDone();
        assertThat(view("team").levels()).containsEntry("tokens", new Level(10, 0));
    }

    @Test
    void only_the_holder_of_the_lease_reports() {
        define(Budget.of("team", "tokens", 100));
        var lease = begun(TEAM);
        world.end(complete(lease)).orThrow();

        assertThat(report(lease, "team", 1, "a")).isLeaseLost();
        assertThat(view("team").levels().get("tokens")).isEqualTo(Level.ZERO);
    }

    @Test
    void what_nobody_defined_is_refused() {
        assertThat(world.offer(work(TEAM))).isNotFound("budget");
        define(Budget.of("team", "tokens", 100));
        assertThat(world.offer(work(Policy.DEFAULT.budget("team", Map.of("cents", 1L)))))
                .isNotFound("dimension of budget team");
        var lease = begun(TEAM);

        assertThat(report(lease, "nobody", 1, "a")).isNotFound("budget");
        assertThat(
                        world.store()
                                .leases()
                                .spend(
                                        List.of(
                                                new UsageReport(
                                                        lease.fence(), "team", "cents", 1, "a")))
                                .getFirst())
                .isNotFound("dimension of budget team");
    }

    @Test
    @BatchAnswers({"P57", "W16"})
    void what_is_set_aside_is_counted_and_settled_by_what_is_reported() {
        define(Budget.of("team", "tokens", 100));
        var reserving = Policy.DEFAULT.budget("team", Map.of("tokens", 40L));
        var works = world.submit(3, () -> work(reserving));

        var leases = world.worker().claim(3);

        assertThat(leases).hasSize(2);
        assertThat(level()).isEqualTo(new Level(0, 80));
        assertThat(world.view(works.get(2)).state())
                .isEqualTo(
                        new Blocked(
                                BlockedBy.BUDGET,
                                "budget team: tokens 0 of 100 used, 80 set aside, 40 needed",
                                new Ready(LeasePurpose.FIRST)));
        spend(leases.get(0), 15, "a");
        assertThat(level()).isEqualTo(new Level(15, 65));
        spend(leases.get(0), 30, "b");
        assertThat(level()).isEqualTo(new Level(45, 40));
        world.end(complete(leases.get(0))).orThrow();
        assertThat(level()).isEqualTo(new Level(45, 40));
        world.end(complete(leases.get(1))).orThrow();
        assertThat(level()).isEqualTo(new Level(45, 0));
        assertThat(world.worker().take(1)).containsExactly(works.get(2));
    }

    @Test
    @BatchAnswers("W16")
    void what_is_set_aside_comes_back_with_every_end_of_a_lease() {
        define(Budget.of("team", "tokens", 100));
        var reserving = Policy.DEFAULT.budget("team", Map.of("tokens", 100L));
        var work = world.submit(reserving);
        var frail = world.frailWorker();
        frail.claimOne();
        assertThat(level()).isEqualTo(new Level(0, 100));
        world.bury(frail);
        assertThat(level()).isEqualTo(Level.ZERO);
        world.end(retry(world.worker().claimOne(), HOUR)).orThrow();
        assertThat(level()).isEqualTo(Level.ZERO);
        world.resume(work);
        world.worker().claimOne();
        world.cancel(work);
        assertThat(level()).isEqualTo(Level.ZERO);
    }

    @Test
    void a_period_begins_at_zero_and_keeps_what_is_set_aside() {
        define(Budget.of("team", "tokens", 100).period(TEN_MINUTES));
        var lease = begun(Policy.DEFAULT.budget("team", Map.of("tokens", 10L)));
        spend(lease, 5, "a");
        spend(lease, 90, "b");
        var waiting = world.submit(Policy.DEFAULT.budget("team", Map.of("tokens", 6L)));
        assertThat(world.worker().claim(1)).isEmpty();
        var another = begun(Policy.DEFAULT.budget("team", Map.of("tokens", 5L)));
        assertThat(level()).isEqualTo(new Level(95, 5));
        assertThat(world.in(world.store().maintenance().nextDue(EVER).orElseThrow()))
                .isBeforeOrEqualTo(world.in(TEN_MINUTES));

        world.pass(TEN_MINUTES.minusMillis(1));
        assertThat(level()).isEqualTo(new Level(95, 5));
        world.pass(Duration.ofMillis(1));

        assertThat(level()).isEqualTo(new Level(0, 5));
        assertThat(view("team").resets()).contains(world.in(TEN_MINUTES));
        assertThat(world.worker().take(1)).containsExactly(waiting);
        world.cancel(idOf(another));
        world.pass(TEN_MINUTES.multipliedBy(5).plusMillis(7));
        assertThat(view("team").resets()).contains(world.in(TEN_MINUTES.minusMillis(7)));
    }

    @Test
    void each_budget_begins_anew_by_its_own_period() {
        define(Budget.of("house", "tokens", 100));
        define(Budget.of("team", "tokens", 100).period(TEN_MINUTES));
        define(Budget.of("guild", "tokens", 100).period(TEN_MINUTES.multipliedBy(2)));

        world.pass(TEN_MINUTES);
        assertThat(view("team").resets()).contains(world.in(TEN_MINUTES));
        assertThat(view("guild").resets()).contains(world.in(TEN_MINUTES));

        world.pass(TEN_MINUTES);
        assertThat(view("house").resets()).isEmpty();
        assertThat(view("team").resets()).contains(world.in(TEN_MINUTES));
        assertThat(view("guild").resets()).contains(world.in(TEN_MINUTES.multipliedBy(2)));
    }

    @Test
    void a_soft_limit_and_a_hard_one_are_told_once_when_they_are_reached() {
        define(Budget.of("team", "tokens", 100).bounds("tokens", Bounds.hard(100).soft(50)));
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));
        var lease = begun(TEAM);

        spend(lease, 49, "a");
        spend(lease, 1, "b");
        spend(lease, 10, "c");
        spend(lease, 100, "d");
        spend(lease, 1, "e");

        assertThat(feed.read().stream().filter(Event.BudgetReached.class::isInstance))
                .containsExactly(reached(false, 50), reached(true, 160));
    }

    @Test
    void a_limit_of_the_budget_that_was_named_is_told_before_those_above_it() {
        define(Budget.of("company", "tokens", 10));
        define(Budget.of("house", "tokens", 10).parent("company"));
        define(Budget.of("team", "tokens", 10).parent("house"));
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));

        spend(begun(TEAM), 10, "a");

        assertThat(feed.read())
                .filteredOn(Event.BudgetReached.class::isInstance)
                .extracting(event -> ((Event.BudgetReached) event).budget())
                .containsExactly("team", "house", "company");
    }

    @Test
    void one_that_only_warns_stops_nothing() {
        define(Budget.of("team", "tokens", 10).enforcement(Enforcement.WARN));
        spend(begun(TEAM), 20, "a");
        var next = world.submit(Policy.DEFAULT.budget("team", Map.of("tokens", 5L)));

        assertThat(view("team").breached()).isTrue();
        assertThat(world.worker().take(1)).containsExactly(next);
    }

    @Test
    void raising_resetting_and_deleting_let_work_go_on() {
        define(Budget.of("team", "tokens", 10));
        spend(begun(TEAM), 10, "a");
        var works =
                world.submit(3, () -> work(Policy.DEFAULT.budget("team", Map.of("tokens", 1L))));
        assertThat(world.worker().claim(1)).isEmpty();

        define(Budget.of("team", "tokens", 11));
        assertThat(world.worker().take(1)).containsExactly(works.get(0));
        spend(begun(TEAM), 1, "b");
        assertThat(world.worker().claim(1)).isEmpty();

        assertThat(world.store().budgets().reset(Namespace.DEFAULT, "team", Scenario.OLGA).levels())
                .containsEntry("tokens", new Level(0, 1));
        assertThat(world.worker().take(1)).containsExactly(works.get(1));
        define(Budget.of("team", "tokens", 0));
        assertThat(world.worker().claim(1)).isEmpty();

        world.store().budgets().delete(Namespace.DEFAULT, "team", Scenario.OLGA);
        world.store().budgets().delete(Namespace.DEFAULT, "team", Scenario.OLGA);
        assertThat(world.worker().take(1)).containsExactly(works.get(2));
        assertThat(world.offer(work(TEAM))).isNotFound("budget");
        assertThat(asked(() -> view("team"))).isNotFound("budget");
    }

    @Test
    void a_budget_above_counts_what_those_below_it_use() {
        define(Budget.of("tenant", "tokens", 100));
        define(Budget.of("one", "tokens", 80).parent("tenant"));
        define(Budget.of("two", "tokens", 80).parent("tenant"));
        var one = begun(Policy.DEFAULT.budget("one", Map.of("tokens", 60L)));
        var two = Policy.DEFAULT.budget("two", Map.of("tokens", 60L));
        var waiting = world.submit(two);

        assertThat(view("tenant").levels()).containsEntry("tokens", new Level(0, 60));
        assertThat(world.worker().claim(1)).isEmpty();
        report(one, "one", 30, "a").orThrow();
        assertThat(view("tenant").levels()).containsEntry("tokens", new Level(30, 30));
        world.end(complete(one)).orThrow();
        assertThat(world.worker().take(1)).containsExactly(waiting);
        assertThat(view("two").levels()).containsEntry("tokens", new Level(0, 60));
        assertThat(asked(() -> define(Budget.of("three", "tokens", 1).parent("nobody"))))
                .isNotFound("budget");
        assertThat(asked(() -> define(Budget.of("two", "tokens", 1))))
                .isConflict(Conflict.Code.BUDGET_TAKEN);
        assertThat(asked(() -> define(Budget.of("tenant", "cents", 1))))
                .isConflict(Conflict.Code.BUDGET_TAKEN);
    }

    @Test
    void a_deleted_budget_above_bounds_nothing_and_keeps_no_work_out() {
        define(Budget.of("house", "tokens", 0));
        define(Budget.of("team", "tokens", 10).parent("house"));
        var policy = Policy.DEFAULT.budget("team", Map.of("tokens", 5L));
        var before = world.submit(policy);
        world.store().budgets().delete(Namespace.DEFAULT, "house", Scenario.OLGA);

        var after = world.submit(policy);

        assertThat(world.worker().take(2)).containsExactly(before, after);
    }

    @Test
    @BatchAnswers({"P58", "W38"})
    void the_ledger_says_what_an_execution_used_and_a_refund_takes_it_back_once() {
        define(Budget.of("team", "tokens", 100));
        var lease = begun(TEAM);
        spend(lease, 10, "a");
        spend(lease, 20, "b");
        var id = idOf(lease);
        var budgets = world.store().budgets();

        assertThat(budgets.ledger(id))
                .containsExactly(
                        new UsageEntry("team", "tokens", 10, "a", world.now(), false),
                        new UsageEntry("team", "tokens", 20, "b", world.now(), false));
        var refunded = new UsageEntry("team", "tokens", 20, "b", world.now(), true);
        assertThat(budgets.refund(id, "team", "b", Scenario.OLGA)).isEqualTo(refunded);
        assertThat(budgets.refund(id, "team", "b", Scenario.OLGA)).isEqualTo(refunded);

        assertThat(level()).isEqualTo(new Level(10, 0));
        assertThat(budgets.ledger(id)).contains(refunded);
        assertThat(asked(() -> budgets.refund(id, "team", "z", Scenario.OLGA)))
                .isNotFound("spending");
    }

    /** R30. */
    @Test
    void a_refund_of_what_a_reset_has_forgotten_lowers_nothing() {
        define(Budget.of("team", "tokens", 100).period(HOUR.dividedBy(2)));
        var lease = begun(TEAM);
        var budgets = world.store().budgets();
        spend(lease, 10, "before");
        budgets.reset(Namespace.DEFAULT, "team", Scenario.OLGA);
        spend(lease, 30, "between");

        budgets.refund(idOf(lease), "team", "before", Scenario.OLGA);
        assertThat(level()).isEqualTo(new Level(30, 0));

        world.pass(HOUR.dividedBy(2));
        spend(lease, 50, "after");
        budgets.refund(idOf(lease), "team", "between", Scenario.OLGA);
        assertThat(level()).isEqualTo(new Level(50, 0));
        budgets.refund(idOf(lease), "team", "after", Scenario.OLGA);
        assertThat(level()).isEqualTo(new Level(0, 0));
    }

    @Test
    void a_refund_is_taken_from_each_budget_that_still_counts_it() {
        define(Budget.of("house", "tokens", 100));
        define(Budget.of("team", "tokens", 100).parent("house"));
        var lease = begun(TEAM);
        var budgets = world.store().budgets();
        spend(lease, 10, "a");
        budgets.reset(Namespace.DEFAULT, "team", Scenario.OLGA);
        spend(lease, 20, "b");

        budgets.refund(idOf(lease), "team", "a", Scenario.OLGA);

        assertThat(view("team").levels()).containsEntry("tokens", new Level(20, 0));
        assertThat(view("house").levels()).containsEntry("tokens", new Level(20, 0));
    }

    @Test
    void budgets_are_listed_by_name() {
        var team = Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(5)).period(HOUR);
        var all = Budget.of("all", "calls", 1).enforcement(Enforcement.WARN);
        define(team);
        define(all);

        for (int size = 1; size <= 3; size++) {
            int max = size;
            assertThat(
                            Everything.pages(
                                    after ->
                                            world.store()
                                                    .budgets()
                                                    .list(Namespace.DEFAULT, after, max)))
                    .containsExactly(all, team);
        }
    }

    private BudgetView define(Budget budget) {
        return world.store().budgets().define(budget, Scenario.OLGA);
    }

    private BudgetView view(String budget) {
        return world.store().budgets().describe(Namespace.DEFAULT, budget);
    }

    private Level level() {
        return view("team").levels().getOrDefault("tokens", Level.ZERO);
    }

    private Event.BudgetReached reached(boolean hard, long used) {
        return new Event.BudgetReached(
                Namespace.DEFAULT, "team", "tokens", hard, used, world.now());
    }

    private Lease begun(Policy policy) {
        var lane = world.newLane();
        world.submit(work(policy).lane(lane));
        return world.worker(lane).claimOne();
    }

    private BudgetView spend(Lease lease, long amount, String key) {
        return report(lease, "team", amount, key).orThrow();
    }

    private Answer<BudgetView> report(Lease lease, String budget, long amount, String key) {
        return world.store()
                .leases()
                .spend(List.of(new UsageReport(lease.fence(), budget, "tokens", amount, key)))
                .getFirst();
    }
}
