package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.LongStream;

/** Rule 9 where every execution sets aside another amount of the same budget. */
abstract class ReservingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    ReservingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void those_that_fit_start_in_order_and_the_rest_of_the_budget_is_what_they_leave() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(50, 30, 15, 10);

        assertThat(world.worker().take(4)).containsExactlyElementsOf(works.subList(0, 3));
        assertThat(level("team")).isEqualTo(new Level(0, 95));
    }

    @Test
    void smaller_ones_pass_a_larger_one_that_does_not_fit_and_it_is_first_once_it_does() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(60, 60, 30, 20, 10, 5);
        var worker = world.worker();

        var leases = worker.claim(6);

        assertThat(ids(leases)).containsExactly(works.get(0), works.get(2), works.get(4));
        assertThat(world.worker().claim(6)).isEmpty();
        world.end(complete(leases.get(0))).orThrow();
        assertThat(worker.take(6)).containsExactly(works.get(1));
        world.end(complete(leases.get(1))).orThrow();
        assertThat(worker.take(6)).containsExactly(works.get(3), works.get(5));
    }

    @Test
    void claims_one_by_one_pass_over_the_same_ones() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(60, 60, 30, 20, 10);
        var worker = world.worker();

        assertThat(worker.takeOneByOne(3))
                .containsExactly(works.get(0), works.get(2), works.get(4));
        assertThat(worker.claim(1)).isEmpty();
    }

    @Test
    void a_small_one_far_behind_large_ones_is_found() {
        define(Budget.of("team", "tokens", 100));
        submit(LongStream.range(0, 300).map(nth -> 1_000 + nth).toArray());
        var small = submit(7).getFirst();

        assertThat(world.worker().take(2)).containsExactly(small);
    }

    @Test
    void one_that_comes_later_and_needs_less_than_all_before_it_starts() {
        define(Budget.of("team", "tokens", 100));
        submit(80, 90);
        world.worker().claimOne();
        assertThat(world.worker().claim(1)).isEmpty();

        var small = submit(20).getFirst();

        assertThat(world.worker().take(1)).containsExactly(small);
    }

    @Test
    void one_that_was_passed_over_is_first_as_soon_as_there_is_room_whoever_went_before_it() {
        define(Budget.of("team", "tokens", 100));
        submit(50, 50);
        var worker = world.worker();
        var leases = worker.claim(2);
        var large = submit(70).getFirst();
        world.end(complete(leases.get(0))).orThrow();
        submit(20, 20);
        var small = worker.claim(2);
        assertThat(small).hasSize(2);

        world.end(complete(leases.get(1))).orThrow();
        world.end(complete(small.get(0))).orThrow();

        submit(5);
        assertThat(worker.take(1)).containsExactly(large);
    }

    @Test
    void each_is_settled_and_given_back_by_its_own_amount() {
        define(Budget.of("team", "tokens", 100));
        submit(40, 25);
        var leases = world.worker().claim(2);

        spend(leases.get(1), 30);
        assertThat(level("team")).isEqualTo(new Level(30, 40));
        world.end(retry(leases.get(0), MINUTE)).orThrow();
        assertThat(level("team")).isEqualTo(new Level(30, 0));
        world.pass(MINUTE);
        var again = world.worker().claimOne();
        assertThat(level("team")).isEqualTo(new Level(30, 40));
        assertThat(world.store().budgets().recount(Namespace.DEFAULT).drifts()).isEmpty();
        world.end(complete(again)).orThrow();
        assertThat(level("team")).isEqualTo(new Level(30, 0));
    }

    @Test
    void a_lane_sets_aside_more_for_those_that_ask_for_less() {
        define(Budget.of("team", "tokens", 100));
        world.configure(Lane.DEFAULT, reserving(20));
        var works = submit(5, 50, 0, 20);
        works.add(world.submit());

        var leases = world.worker().claim(5);

        assertThat(ids(leases)).containsExactly(works.get(0), works.get(1), works.get(2));
        assertThat(level("team")).isEqualTo(new Level(0, 90));
        world.configure(Lane.DEFAULT, reserving(10));
        assertThat(world.worker().take(5)).containsExactly(works.get(4));
        world.configure(Lane.DEFAULT, LaneSettings.DEFAULT);
        leases.forEach(lease -> world.end(complete(lease)).orThrow());
        assertThat(level("team")).isEqualTo(new Level(0, 10));
        assertThat(world.worker().take(5)).containsExactly(works.get(3));
        assertThat(level("team")).isEqualTo(new Level(0, 30));
    }

    @Test
    void a_lane_that_asks_for_more_than_there_is_lets_go_again() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(5, 8);
        world.configure(Lane.DEFAULT, reserving(101));
        assertThat(world.worker().claim(2)).isEmpty();

        world.configure(Lane.DEFAULT, reserving(6));

        assertThat(world.worker().take(2)).isEqualTo(works);
        assertThat(level("team")).isEqualTo(new Level(0, 14));
    }

    @Test
    void a_budget_above_has_room_for_some_of_them_only() {
        define(Budget.of("tenant", "tokens", 50));
        define(Budget.of("team", "tokens", 1_000).parent("tenant"));
        define(Budget.of("other", "tokens", 1_000).parent("tenant"));
        var works = submit(30, 40, 15);
        works.add(world.submit(Policy.DEFAULT.budget("other", Map.of("tokens", 5L))));

        var leases = world.worker().claim(4);

        assertThat(ids(leases)).containsExactly(works.get(0), works.get(2), works.get(3));
        assertThat(level("tenant")).isEqualTo(new Level(0, 50));
        assertThat(level("team")).isEqualTo(new Level(0, 45));
        leases.forEach(lease -> world.end(complete(lease)).orThrow());
        assertThat(world.worker().take(4)).containsExactly(works.get(1));
    }

    @Test
    void two_budgets_with_the_same_one_above_set_aside_the_sum_there() {
        define(Budget.of("tenant", "tokens", 100));
        define(Budget.of("team", "tokens", 100).parent("tenant"));
        define(Budget.of("other", "tokens", 100).parent("tenant"));
        world.submit(
                Policy.DEFAULT
                        .budget("team", Map.of("tokens", 11L))
                        .budget("other", Map.of("tokens", 22L)));
        world.submit(
                Policy.DEFAULT
                        .budget("team", Map.of("tokens", 1L))
                        .budget("other", Map.of("tokens", 2L)));

        var leases = world.worker().claim(2);

        assertThat(level("tenant")).isEqualTo(new Level(0, 36));
        assertThat(level("team")).isEqualTo(new Level(0, 12));
        assertThat(level("other")).isEqualTo(new Level(0, 24));
        world.end(complete(leases.getFirst())).orThrow();
        assertThat(level("tenant")).isEqualTo(new Level(0, 3));
    }

    @Test
    void several_dimensions_must_all_fit() {
        define(Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(10)));
        var dear = world.submit(both(10, 8));
        var late = world.submit(both(20, 3));
        var bulky = world.submit(both(95, 1));
        var cheap = world.submit(both(70, 2));

        // A claim that counts all of its work against each dimension at once may leave room.
        assertThat(world.worker().takeOneByOne(2)).containsExactly(dear, cheap);
        assertThat(world.worker().claim(1)).isEmpty();
        assertThat(world.view(late).state().publicState()).isEqualTo(PublicState.RATE_LIMITED);
        assertThat(world.view(bulky).state().publicState()).isEqualTo(PublicState.RATE_LIMITED);
    }

    @Test
    void a_policy_reads_back_with_its_own_amounts_wherever_it_is_read() {
        world.store().keys().first();
        define(Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(100)));
        define(Budget.of("other", "tokens", 100));
        world.configure(Lane.DEFAULT, reserving(30));
        var policies =
                List.of(
                        both(3, 4),
                        both(0, 7),
                        Policy.DEFAULT.budget("team", Map.of("tokens", 5L)),
                        Policy.DEFAULT.budget("team"),
                        both(1, 1).budget("other", Map.of("tokens", 9L)),
                        Policy.DEFAULT.budget("other").budget("team", Map.of("cents", 2L)));
        for (Policy policy : policies) {
            var id = world.submit(policy);
            assertThat(world.view(id).policy()).isEqualTo(policy);
            var lease = world.worker().claimOne();
            assertThat(idOf(lease)).isEqualTo(id);
            assertThat(lease.policy()).isEqualTo(policy);
            world.end(retry(lease, MINUTE)).orThrow();
            world.resume(id);
            var grant = world.worker().grantedOne();
            assertThat(grant.execution()).isEqualTo(id);
            world.cancel(id);
            assertThat(world.view(id).policy()).isEqualTo(policy);
        }
        assertThat(level("team")).isEqualTo(Level.ZERO);
    }

    @Test
    void one_that_is_named_by_an_operator_sets_aside_its_own_amount() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(70, 20, 40);
        var worker = world.worker();

        assertThat(world.claimByHand(works.get(1), worker)).isDone();
        assertThat(level("team")).isEqualTo(new Level(0, 20));
        assertThat(world.claimByHand(works.get(2), worker)).isDone();
        assertThat(level("team")).isEqualTo(new Level(0, 60));
        assertThat(world.claimByHand(works.get(0), worker)).isRefused();
        assertThat(world.worker().claim(1)).isEmpty();
    }

    @Test
    void each_says_what_it_waits_for_itself() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(70, 60, 50, 30, 25);
        world.worker().claimOne();

        assertThat(world.explain(works.get(1)).words()).contains("60 needed");
        assertThat(world.explain(works.get(2)).words()).contains("50 needed");
        assertThat(world.view(works.get(3)).state().publicState()).isEqualTo(PublicState.WAITING);
        assertThat(world.store().queries().counts(Namespace.DEFAULT).get(Lane.DEFAULT))
                .containsEntry(PublicState.RATE_LIMITED, 2L)
                .containsEntry(PublicState.WAITING, 2L);
        assertThat(world.explain(Lane.DEFAULT).groups())
                .extracting(LaneExplanation.Group::words)
                .anyMatch(words -> words.endsWith("60 needed"))
                .anyMatch(words -> words.endsWith("50 needed"))
                .noneMatch(words -> words.endsWith("30 needed"));
    }

    @Test
    void what_does_not_fit_is_not_ahead_of_what_does() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(70, 60, 30, 20, 10);
        world.worker().claimOne();

        assertThat(world.explain(works.get(4)).facts(Fact.Ahead.class))
                .containsExactly(new Fact.Ahead(2, false));
    }

    @Test
    void what_does_not_fit_in_one_of_two_dimensions_is_not_ahead_of_what_does() {
        define(Budget.of("team", "tokens", 100).bounds("cents", Bounds.hard(100)));
        world.submit(both(101, 1));
        world.submit(both(1, 101));
        world.submit(both(100, 100));
        var last = world.submit(both(1, 1));

        assertThat(world.explain(last).facts(Fact.Ahead.class))
                .containsExactly(new Fact.Ahead(1, false));
    }

    @Test
    void a_claim_tells_of_the_budget_that_only_some_are_too_large_for() {
        define(Budget.of("team", "tokens", 100));
        var works = submit(70, 60, 10);
        world.worker().claimOne();

        var claimed = world.worker().ask(2);

        assertThat(ids(claimed.leases())).containsExactly(works.get(2));
        assertThat(claimed.shut()).containsExactly(new AdmissionBlock.Budget("tokens"));
    }

    private List<ExecutionId> submit(long... amounts) {
        var ids = new ArrayList<ExecutionId>();
        for (long amount : amounts) {
            ids.add(world.submit(Policy.DEFAULT.budget("team", Map.of("tokens", amount))));
        }
        return ids;
    }

    private static Policy both(long tokens, long cents) {
        return Policy.DEFAULT.budget("team", Map.of("tokens", tokens, "cents", cents));
    }

    private static LaneSettings reserving(long tokens) {
        return LaneSettings.DEFAULT.budget("team", Map.of("tokens", tokens));
    }

    private static List<ExecutionId> ids(List<Lease> leases) {
        return leases.stream().map(Given::idOf).toList();
    }

    private void define(Budget budget) {
        world.store().budgets().define(budget, Scenario.OLGA);
    }

    private Level level(String budget) {
        var view = world.store().budgets().describe(Namespace.DEFAULT, budget);
        return view.levels().getOrDefault("tokens", Level.ZERO);
    }

    private void spend(Lease lease, long amount) {
        var report = new UsageReport(lease.fence(), "team", "tokens", amount, "a");
        world.store().leases().spend(List.of(report)).getFirst().orThrow();
    }
}
