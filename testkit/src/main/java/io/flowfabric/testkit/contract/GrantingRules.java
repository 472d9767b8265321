package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event.LeaseChange;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.lease.Grant;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;

/** Rule 12: a grant is a claim that is handed out as a ticket, and becomes a lease or nothing. */
abstract class GrantingRules extends TicketRules {
    GrantingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    // Giving out.

    @Test
    @BatchAnswers({"P2", "P3"})
    void a_grant_becomes_a_lease() {
        var id = world.submit();
        var worker = world.worker();

        var grant = worker.grantedOne();
        assertThat(grant)
                .isEqualTo(
                        new Grant(
                                id,
                                Lane.DEFAULT,
                                worker.session().id(),
                                world.in(TTL),
                                grant.token()));
        assertThat(world.view(id).state())
                .isEqualTo(new Granted(LeasePurpose.FIRST, worker.session().id(), world.in(TTL)));
        assertThat(world.view(id).state().publicState()).isEqualTo(PublicState.WAITING);

        var lease = worker.redeem(grant).orThrow();

        assertThat(idOf(lease)).isEqualTo(id);
        assertThat(lease.session()).isEqualTo(worker.session().id());
        assertThat(lease.input()).isEqualTo(work().input());
        assertThat(lease.fence()).isEqualTo(world.fence(id, 0, 2));
        assertThat(world.view(id).state().publicState()).isEqualTo(PublicState.ACTIVE);
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void grants_are_given_in_the_order_of_claims_to_whoever_is_able() {
        var later = world.submit();
        var urgent = world.submit(Policy.DEFAULT.priority(5));
        world.submit(Policy.DEFAULT.needs(Capabilities.of("gpu")));

        var grants = world.worker().granted(10, TTL);

        assertThat(grants).extracting(Grant::execution).containsExactly(urgent, later);
    }

    @Test
    void what_is_granted_is_nobody_elses() {
        var id = world.submit();
        var worker = world.worker();
        worker.grantedOne();

        assertThat(world.worker().claim(1)).isEmpty();
        assertThat(world.worker().granted(1, TTL)).isEmpty();
        assertThat(world.claimByHand(id, world.worker())).isConflict(Conflict.Code.NOT_CLAIMABLE);
    }

    @Test
    void the_history_tells_who_was_granted_it_and_when_it_became_a_lease() {
        var id = world.submit();
        var worker = world.worker();
        var grant = worker.grantedOne();
        worker.redeem(grant).orThrow();

        var steps = world.steps(id);

        assertThat(steps)
                .extracting(Step::transition)
                .containsExactly(Transition.SUBMIT, Transition.GRANT, Transition.REDEEM);
        assertThat(steps.get(1).owner()).contains(worker.owner());
        assertThat(steps.get(1).until()).contains(grant.until());
        assertThat(steps.get(1).leaseChange()).isEmpty();
        assertThat(steps.get(2).owner()).contains(worker.owner());
        assertThat(steps.get(2).leaseChange()).contains(LeaseChange.ACQUIRED);
    }

    @Test
    void a_repeated_number_gives_the_same_grants_until_they_are_redeemed() {
        world.submit(2, Given::work);
        var worker = world.worker();
        var grants = worker.granted(2, TTL);

        assertThat(worker.repeatGranted(2, TTL)).isEqualTo(grants);
        worker.redeem(grants.getFirst()).orThrow();
        assertThat(worker.granted(1, 2, TTL)).containsExactly(grants.getLast());
        world.advance(TTL);
        assertThat(worker.granted(1, 2, TTL)).isEmpty();
    }

    @Test
    void a_grant_holds_for_a_minute_at_most() {
        world.submit();
        var worker = world.worker();

        for (Duration ttl : List.of(Duration.ZERO, Duration.ofMillis(-1), MINUTE.plusMillis(1))) {
            assertThat(asked(() -> worker.granted(1, ttl))).isInvalid(Invalid.Code.OUT_OF_RANGE);
        }
        assertThat(worker.granted(1, MINUTE))
                .extracting(Grant::until)
                .containsExactly(world.in(MINUTE));
    }

    @Test
    void a_dead_session_is_granted_nothing_and_redeems_nothing() {
        world.submit();
        var worker = world.frailWorker();
        var grant = worker.grantedOne();
        world.bury(worker);

        assertThat(asked(() -> worker.granted(1, TTL))).isNotFound("session");
        assertThat(asked(() -> worker.redeem(grant))).isNotFound("session");
        assertThat(asked(() -> worker.verify(grant.token()))).isNotFound("session");
    }

    @Test
    void granted_work_is_found_where_one_looks_for_it() {
        var id = world.submit();
        world.worker().grantedOne();

        assertThat(world.find(Search.in(Namespace.DEFAULT).states(PublicState.WAITING)))
                .containsExactly(id);
        assertThat(world.store().queries().counts(Namespace.DEFAULT))
                .isEqualTo(Map.of(Lane.DEFAULT, Map.of(PublicState.WAITING, 1L)));
        assertThat(world.explain(id).words()).contains("granted to session");
        assertThat(world.explain(Lane.DEFAULT).toString()).contains("granted");
    }

    // Forfeiting.

    @Test
    @BatchAnswers("P2")
    void what_is_not_redeemed_in_time_returns_to_its_place() {
        var first = world.submit();
        var second = world.submit();
        var worker = world.worker();
        worker.grantedOne();

        world.pass(TTL.minusMillis(1));
        assertThat(world.view(first).state()).isInstanceOf(Granted.class);
        world.pass(Duration.ofMillis(1));

        assertThat(world.view(first).state()).isEqualTo(new Ready(LeasePurpose.FIRST));
        assertThat(world.view(first).reclaims()).isZero();
        assertThat(world.lastStep(first).transition()).isEqualTo(Transition.FORFEIT);
        assertThat(world.lastStep(first).owner()).contains(worker.owner());
        assertThat(world.lastStep(first).leaseChange()).isEmpty();
        assertThat(world.worker().take(2)).containsExactly(first, second);
    }

    @Test
    void the_engine_knows_when_a_grant_will_be_over() {
        world.submit();
        world.worker().grantedOne();

        assertThat(world.store().maintenance().nextDue(EVER)).contains(TTL);
    }

    @Test
    void a_session_that_dies_forfeits_its_grants_at_once() {
        var id = world.submit();
        var worker = world.worker();
        worker.grantedOne();

        worker.close();

        assertThat(world.view(id).state()).isEqualTo(new Ready(LeasePurpose.FIRST));
        assertThat(world.worker().take(1)).containsExactly(id);
    }

    @Test
    void what_a_grant_took_of_quotas_and_budgets_is_given_back_when_it_is_forfeited() {
        world.store().quotas().define(Quota.atOnce("mail", 1), Scenario.OLGA);
        world.store().quotas().define(Quota.rate("slow", 1, Duration.ofHours(1)), Scenario.OLGA);
        world.store().budgets().define(Budget.of("team", "tokens", 10), Scenario.OLGA);
        var policy =
                Policy.DEFAULT.quota("mail").quota("slow").budget("team", Map.of("tokens", 10L));
        var ids = world.submit(2, () -> work(policy));
        var worker = world.worker();

        var grant = worker.grantedOne();
        assertThat(running("mail")).isEqualTo(1);
        assertThat(held("team")).isEqualTo(10);
        assertThat(world.worker().claim(2)).isEmpty();

        world.pass(TTL);
        assertThat(running("mail")).isZero();
        assertThat(started("slow")).isZero();
        assertThat(held("team")).isZero();
        assertThat(world.store().quotas().recount(Namespace.DEFAULT).drifts()).isEmpty();
        assertThat(world.worker().take(2)).containsExactly(ids.getFirst());
        assertThat(started("slow")).isEqualTo(1);
        assertThat(worker.redeem(grant)).isRefused();
    }

    @Test
    void the_deadline_of_granted_work_ends_it() {
        var id = world.submit(Policy.DEFAULT.deadline(Due.in(Duration.ofSeconds(10))));
        var worker = world.worker();
        var grant = worker.grantedOne();

        world.advance(Duration.ofSeconds(10));
        assertThat(worker.redeem(grant)).isRefused();
        world.tick();

        assertThat(world.view(id).state().publicState()).isEqualTo(PublicState.EXPIRED);
        assertThat(world.lastStep(id).leaseChange()).isEmpty();
    }

    // Operators.

    @Test
    void an_operator_may_end_hold_or_withdraw_what_is_granted() {
        world.store().quotas().define(Quota.atOnce("mail", 9), Scenario.OLGA);
        var ids = world.submit(3, () -> work(Policy.DEFAULT.quota("mail")));
        var worker = world.worker();
        var grants = worker.granted(3, TTL);

        world.cancel(ids.get(0));
        world.pause(ids.get(1));
        world.revoke(ids.get(2));

        assertThat(world.view(ids.get(0)).state().publicState()).isEqualTo(PublicState.CANCELLED);
        assertThat(world.view(ids.get(1)).state().situation())
                .isEqualTo(Situation.HELD_BY_OPERATOR);
        assertThat(world.view(ids.get(2)).state()).isEqualTo(new Ready(LeasePurpose.FIRST));
        assertThat(world.lastStep(ids.get(2)).by()).contains(Scenario.OLGA);
        assertThat(running("mail")).isZero();
        for (Grant grant : grants) {
            assertThat(worker.redeem(grant)).isRefused();
        }
        world.resume(ids.get(1));
        assertThat(world.view(ids.get(1)).state()).isEqualTo(new Ready(LeasePurpose.FIRST));
    }

    @Test
    void another_priority_leaves_the_grant_as_it_is() {
        var id = world.submit();
        var worker = world.worker();
        var grant = worker.grantedOne();

        world.act(new OperatorCommand.Reprioritise(id, 9)).orThrow();

        assertThat(worker.redeem(grant)).isDone();
    }

    private long held(String budget) {
        var levels = world.store().budgets().describe(Namespace.DEFAULT, budget).levels();
        return Objects.requireNonNull(levels.get("tokens")).held();
    }
}
