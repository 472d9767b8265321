package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Fence;
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
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule 8 for many reports in one call: as if each had been made alone, in their order. */
abstract class UsageBatchRules extends Rules {
    private static final Policy TEAM = Policy.DEFAULT.budget("team");

    UsageBatchRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void each_report_is_answered_in_its_place_with_how_its_budget_stood_after_it() {
        define(Budget.of("team", "tokens", 100));
        define(Budget.of("other", "tokens", 100));
        var one = world.begun(TEAM);
        var two = world.begun(TEAM);

        var answers =
                spend(
                        report(one, "team", 10, "a"),
                        report(two, "other", 1, "a"),
                        report(two, "team", 20, "b"),
                        report(one, "other", 2, "b"),
                        report(one, "team", 70, "c"));

        assertThat(levels(answers))
                .containsExactly(
                        new Level(10, 0),
                        new Level(1, 0),
                        new Level(30, 0),
                        new Level(3, 0),
                        new Level(100, 0));
        assertThat(answers)
                .extracting(answer -> answer.orThrow().budget().name())
                .containsExactly("team", "other", "team", "other", "team");
        assertThat(answers)
                .extracting(answer -> answer.orThrow().breached())
                .containsExactly(false, false, false, false, true);
    }

    @Test
    void a_report_that_is_refused_is_no_matter_of_the_others() {
        define(Budget.of("team", "tokens", 100));
        var lease = world.begun(TEAM);
        var ended = world.begun(TEAM);
        world.end(complete(ended)).orThrow();
        spend(report(lease, "team", 1, "known"));
        var nobody = new Fence(unknown(), 0, 1);

        var answers =
                spend(
                        report(ended, "team", 5, "a"),
                        report(lease, "team", 10, "a"),
                        new UsageReport(nobody, "team", "tokens", 5, "b"),
                        report(lease, "nobody", 5, "b"),
                        new UsageReport(lease.fence(), "team", "cents", 5, "b"),
                        report(lease, "team", 5, "known"),
                        report(lease, "team", 20, "b"));

        assertThat(answers.get(0)).isLeaseLost(PublicState.COMPLETED, 1);
        assertThat(answers.get(1)).isDone();
        assertThat(answers.get(2)).isNotFound("execution");
        assertThat(answers.get(3)).isNotFound("budget");
        assertThat(answers.get(4)).isNotFound("dimension of budget team");
        assertThat(answers.get(5)).isConflict(Conflict.Code.SPENT_DIFFERENTLY);
        assertThat(answers.get(6)).isDone();
        assertThat(level("team")).isEqualTo(new Level(31, 0));
    }

    @Test
    void two_fences_of_one_execution_are_told_apart() {
        define(Budget.of("team", "tokens", 100));
        var before = world.begun(TEAM).fence();
        world.revoke(before.execution());
        var now = new Fence(before.execution(), before.attempt(), before.epoch() + 1);
        var lane = world.view(before.execution()).lane();
        assertThat(world.worker(lane).claimOne().fence()).isEqualTo(now);

        var answers =
                spend(
                        new UsageReport(before, "team", "tokens", 1, "a"),
                        new UsageReport(now, "team", "tokens", 2, "a"),
                        new UsageReport(before, "team", "tokens", 2, "a"));

        assertThat(answers.get(0)).isLeaseLost(PublicState.ACTIVE, 1);
        assertThat(answers.get(1)).isDone();
        assertThat(answers.get(2)).isLeaseLost();
        assertThat(level("team")).isEqualTo(new Level(2, 0));
    }

    @Test
    void a_key_that_comes_twice_counts_once_and_belongs_to_the_first_that_counted() {
        define(Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(100)));
        define(Budget.of("other", "tokens", 100));
        var lease = world.begun(TEAM);
        var another = world.begun(TEAM);

        var answers =
                spend(
                        report(lease, "nobody", 9, "a"),
                        report(lease, "team", 10, "a"),
                        report(lease, "team", 10, "a"),
                        report(lease, "team", 11, "a"),
                        report(another, "team", 10, "a"),
                        new UsageReport(lease.fence(), "team", "cents", 10, "a"),
                        report(lease, "other", 11, "a"),
                        report(lease, "team", 5, "b"),
                        report(lease, "team", 10, "a"));

        assertThat(answers.get(0)).isNotFound("budget");
        for (int conflict : List.of(3, 4, 5)) {
            assertThat(answers.get(conflict)).isConflict(Conflict.Code.SPENT_DIFFERENTLY);
        }
        assertThat(levels(List.of(answers.get(1), answers.get(2), answers.get(7), answers.get(8))))
                .containsExactly(
                        new Level(10, 0), new Level(10, 0), new Level(15, 0), new Level(15, 0));
        assertThat(answers.get(6)).isDone();
        assertThat(level("team")).isEqualTo(new Level(15, 0));
        assertThat(view("team").levels().get("cents")).isEqualTo(Level.ZERO);
        assertThat(level("other")).isEqualTo(new Level(11, 0));
    }

    @Test
    void a_batch_that_is_repeated_counts_once() {
        define(Budget.of("team", "tokens", 100));
        var lease = world.begun(TEAM.budget("team", Map.of("tokens", 50L)));
        var batch = List.of(report(lease, "team", 10, "a"), report(lease, "team", 20, "b"));
        world.store().leases().spend(batch).forEach(Answer::orThrow);

        var again = world.store().leases().spend(batch);

        assertThat(levels(again)).containsExactly(new Level(30, 20), new Level(30, 20));
    }

    @Test
    void one_execution_reports_several_dimensions_of_several_budgets_at_once() {
        define(Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(50)));
        define(Budget.of("other", "tokens", 100));
        var lease = world.begun(TEAM.budget("team", Map.of("tokens", 8L, "cents", 3L)));

        var answers =
                spend(
                        report(lease, "team", 10, "a"),
                        new UsageReport(lease.fence(), "team", "cents", 2, "b"),
                        report(lease, "other", 5, "c"),
                        new UsageReport(lease.fence(), "team", "cents", 2, "d"));

        assertThat(answers.get(0).orThrow().levels())
                .isEqualTo(Map.of("tokens", new Level(10, 0), "cents", new Level(0, 3)));
        assertThat(answers.get(1).orThrow().levels())
                .isEqualTo(Map.of("tokens", new Level(10, 0), "cents", new Level(2, 1)));
        assertThat(answers.get(2).orThrow().levels()).isEqualTo(Map.of("tokens", new Level(5, 0)));
        assertThat(answers.get(3).orThrow().levels())
                .isEqualTo(Map.of("tokens", new Level(10, 0), "cents", new Level(4, 0)));
    }

    @Test
    void what_is_set_aside_is_settled_by_each_report_in_turn_and_only_by_its_own_execution() {
        define(Budget.of("team", "tokens", 200));
        var reserving = Policy.DEFAULT.budget("team", Map.of("tokens", 40L));
        var one = world.begun(reserving);
        var two = world.begun(reserving);

        var answers =
                spend(
                        report(one, "team", 15, "a"),
                        report(two, "team", 5, "b"),
                        report(one, "team", 30, "c"),
                        report(one, "team", 10, "d"));

        assertThat(levels(answers))
                .containsExactly(
                        new Level(15, 65), new Level(20, 60), new Level(50, 35), new Level(60, 35));
        world.end(complete(one)).orThrow();
        assertThat(level("team")).isEqualTo(new Level(60, 35));
        world.end(complete(two)).orThrow();
        assertThat(level("team")).isEqualTo(new Level(60, 0));
        assertThat(world.store().budgets().recount(Namespace.DEFAULT).drifts()).isEmpty();
    }

    @Test
    void a_budget_above_counts_every_report_to_those_below_it() {
        define(Budget.of("tenant", "tokens", 100));
        define(Budget.of("one", "tokens", 80).parent("tenant"));
        define(Budget.of("two", "tokens", 80).parent("tenant"));
        var one = world.begun(Policy.DEFAULT.budget("one", Map.of("tokens", 10L)));
        var two = world.begun(Policy.DEFAULT.budget("two", Map.of("tokens", 20L)));

        var answers =
                spend(
                        report(one, "one", 5, "a"),
                        report(two, "tenant", 7, "a"),
                        report(two, "two", 30, "a"),
                        report(one, "tenant", 1, "b"),
                        report(one, "one", 9, "b"));

        assertThat(levels(answers))
                .containsExactly(
                        new Level(5, 5),
                        new Level(12, 18),
                        new Level(30, 0),
                        new Level(43, 4),
                        new Level(14, 0));
        assertThat(level("tenant")).isEqualTo(new Level(52, 0));
    }

    @Test
    void a_limit_is_told_once_with_what_was_used_when_it_was_reached() {
        define(Budget.of("house", "tokens", 60));
        define(
                Budget.of("team", "tokens", 100)
                        .bounds("tokens", Bounds.hard(100).soft(50))
                        .parent("house"));
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));
        var lease = world.begun(TEAM);

        spend(
                report(lease, "team", 49, "a"),
                report(lease, "team", 49, "a"),
                report(lease, "team", 1, "b"),
                report(lease, "team", 10, "c"),
                report(lease, "team", 100, "d"),
                report(lease, "team", 1, "e"));

        assertThat(feed.read().stream().filter(Event.BudgetReached.class::isInstance))
                .containsExactly(
                        reached("team", false, 50),
                        reached("house", true, 60),
                        reached("team", true, 160));
    }

    @Test
    void the_ledger_has_the_reports_in_their_order() {
        define(Budget.of("team", "tokens", 100));
        define(Budget.of("other", "tokens", 100));
        var lease = world.begun(TEAM);

        spend(
                report(lease, "other", 3, "z"),
                report(lease, "team", 2, "y"),
                report(lease, "team", 2, "y"),
                report(lease, "other", 1, "x"));

        assertThat(world.store().budgets().ledger(idOf(lease)))
                .containsExactly(
                        new UsageEntry("other", "tokens", 3, "z", world.now(), false),
                        new UsageEntry("team", "tokens", 2, "y", world.now(), false),
                        new UsageEntry("other", "tokens", 1, "x", world.now(), false));
    }

    @Test
    void a_breach_that_cancels_refuses_the_reports_behind_it_of_what_it_has_cancelled() {
        define(Budget.of("team", "tokens", 100).enforcement(Enforcement.CANCEL));
        define(Budget.of("free", "tokens", 100));
        var drawing = Policy.DEFAULT.budget("team", Map.of("tokens", 10L));
        var one = world.begun(drawing);
        var two = world.begun(drawing);
        var free = world.begun(Policy.DEFAULT);

        var answers =
                spend(
                        report(one, "team", 30, "a"),
                        report(two, "team", 70, "b"),
                        report(one, "team", 1, "c"),
                        report(two, "nobody", 1, "d"),
                        report(free, "team", 1, "e"),
                        report(free, "free", 1, "f"));

        assertThat(levels(answers.subList(0, 2)))
                .as("what is set aside is there until the breach")
                .containsExactly(new Level(30, 10), new Level(100, 0));
        assertThat(answers.get(2)).isLeaseLost(PublicState.CANCELLED, 1);
        assertThat(answers.get(3)).isLeaseLost(PublicState.CANCELLED, 1);
        assertThat(levels(answers.subList(4, 6)))
                .containsExactly(new Level(101, 0), new Level(1, 0));
        assertThat(world.lastStep(idOf(one)).transition()).isEqualTo(Transition.CANCEL);
        assertThat(world.lastStep(idOf(two)).transition()).isEqualTo(Transition.CANCEL);
        assertThat(world.end(complete(free))).isDone();
    }

    @Test
    void a_report_behind_a_breach_that_cancels_reaches_no_other_limit() {
        define(Budget.of("team", "tokens", 100).enforcement(Enforcement.CANCEL));
        define(Budget.of("other", "tokens", 100).enforcement(Enforcement.CANCEL));
        var both = world.begun(TEAM.budget("other"));
        var another = world.begun(Policy.DEFAULT.budget("other"));

        var answers =
                spend(
                        report(both, "team", 100, "a"),
                        report(both, "other", 100, "b"),
                        report(another, "other", 1, "c"));

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isLeaseLost(PublicState.CANCELLED, 1);
        assertThat(levels(answers.subList(2, 3))).containsExactly(new Level(1, 0));
        assertThat(world.end(complete(another))).isDone();
    }

    @Test
    void many_reports_add_up() {
        define(Budget.of("team", "tokens", 10_000));
        var leases = IntStream.range(0, 3).mapToObj(i -> world.begun(TEAM)).toList();

        var answers =
                world.store()
                        .leases()
                        .spend(
                                IntStream.range(0, 1100)
                                        .mapToObj(i -> report(leases.get(i % 3), "team", 1, "" + i))
                                        .toList());

        assertThat(levels(answers))
                .isEqualTo(
                        IntStream.rangeClosed(1, 1100)
                                .mapToObj(used -> new Level(used, 0))
                                .toList());
    }

    @Test
    void batches_of_many_at_once_add_up_and_tell_each_limit_once() {
        define(Budget.of("tenant", "tokens", 400));
        define(Budget.of("one", "tokens", 200).parent("tenant"));
        define(Budget.of("two", "tokens", 200).parent("tenant"));
        var reserving = Policy.DEFAULT.budget("one", Map.of("tokens", 5L)).budget("two");
        var leases = IntStream.range(0, 5).mapToObj(i -> world.begun(reserving)).toList();
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));

        var members = Crowd.of(8, member -> spendAll(leases, member));

        assertThat(members).allSatisfy(answers -> assertThat(answers).allMatch(Answer::isDone));
        assertThat(level("one")).isEqualTo(new Level(400, 0));
        assertThat(level("two")).isEqualTo(new Level(600, 0));
        assertThat(level("tenant")).isEqualTo(new Level(1000, 0));
        assertThat(
                        feed.read().stream()
                                .filter(Event.BudgetReached.class::isInstance)
                                .map(event -> ((Event.BudgetReached) event).budget()))
                .containsExactlyInAnyOrder("one", "two", "tenant");
        assertThat(world.store().budgets().recount(Namespace.DEFAULT).drifts()).isEmpty();
    }

    @Test
    void a_batch_of_none_is_answered_with_none() {
        assertThat(spend()).isEmpty();
    }

    /**
     * A hundred reports for all of these leases to two budgets, in batches and in an order of its
     * own; two members say the same.
     */
    private List<Answer<BudgetView>> spendAll(List<Lease> leases, int member) {
        var answers = new ArrayList<Answer<BudgetView>>();
        for (int from = 0; from < 100; from += 20) {
            var batch =
                    IntStream.range(from, from + 20)
                            .map(i -> (i * 7 + member * 13) % 100)
                            .mapToObj(
                                    i ->
                                            report(
                                                    leases.get(i % leases.size()),
                                                    i % 2 == 0 ? "one" : "two",
                                                    1 + i % 4,
                                                    "%d of %d".formatted(i, member / 2)))
                            .toList();
            answers.addAll(world.store().leases().spend(batch));
        }
        return answers;
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, Scenario.OLGA);
    }

    private BudgetView view(String budget) {
        return world.store().budgets().describe(Namespace.DEFAULT, budget);
    }

    private Level level(String budget) {
        return view(budget).levels().getOrDefault("tokens", Level.ZERO);
    }

    private Event.BudgetReached reached(String budget, boolean hard, long used) {
        return new Event.BudgetReached(
                Namespace.DEFAULT, budget, "tokens", hard, used, world.now());
    }

    private static UsageReport report(Lease lease, String budget, long amount, String key) {
        return new UsageReport(lease.fence(), budget, "tokens", amount, key);
    }

    private List<Answer<BudgetView>> spend(UsageReport... reports) {
        return world.store().leases().spend(List.of(reports));
    }

    private static List<Level> levels(List<Answer<BudgetView>> answers) {
        return answers.stream()
                .map(answer -> answer.orThrow().levels().getOrDefault("tokens", Level.ZERO))
                .toList();
    }
}
