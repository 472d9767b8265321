package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.asked;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A moment that equals now is over: every call agrees on that to the millisecond, before any sweep
 * has noticed.
 */
abstract class MomentRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(1);

    MomentRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @BeforeEach
    void there_is_a_key_and_something_to_count_against() {
        world.store().keys().first();
        world.store().quotas().define(Quota.atOnce("mail", 1000), Scenario.OLGA);
        world.store().budgets().define(Budget.of("team", "tokens", 1000), Scenario.OLGA);
    }

    @Test
    void a_session_can_do_everything_until_its_last_moment() {
        world.submit(4, Given::work);
        var frail = world.frailWorker();
        var grant = frail.granted(1, MINUTE).getFirst();

        world.advance(frail.session().ttl().minus(MOMENT));

        assertThat(frail.claim(1)).hasSize(1);
        assertThat(frail.verify(grant.token())).isDone(grant);
        assertThat(frail.redeem(grant)).isDone();
        assertThat(frail.granted(1, MINUTE)).hasSize(1);
        assertThat(world.claimByHand(world.submit(), frail)).isDone();
        assertThat(frail.beat()).isDone();
    }

    @Test
    void a_session_can_do_nothing_from_the_moment_on_that_its_time_is_over() {
        world.submit(4, Given::work);
        var lapsed = lapsed(Policy.DEFAULT.priority(1));
        var frail = world.frailWorker();
        var grant = frail.granted(1, MINUTE).getFirst();

        world.advance(frail.session().ttl());

        assertThat(asked(() -> frail.claim(1))).isNotFound("session");
        assertThat(asked(() -> frail.granted(1, MINUTE))).isNotFound("session");
        assertThat(asked(() -> frail.redeem(grant))).isNotFound("session");
        assertThat(asked(() -> frail.verify(grant.token()))).isNotFound("session");
        assertThat(frail.reclaim(lapsed)).isNotFound("session");
        assertThat(world.claimByHand(lapsed, frail)).isNotFound("session");
        assertThat(frail.beat()).isNotFound("session");
    }

    @Test
    void work_begins_until_the_last_moment_before_its_deadline() {
        for (var policy : policies()) {
            var late = policy.deadline(Due.in(MINUTE));
            var worker = world.worker();
            var lapsed = lapsed(late.priority(2));
            var granted = world.submit(late.priority(1));
            world.submit(late);
            var byHand = world.submit(late);
            var grant = worker.granted(2, MINUTE).getLast();
            assertThat(grant.execution()).isEqualTo(granted);

            world.advance(MINUTE.minus(MOMENT));

            assertThat(world.claimByHand(byHand, worker)).isDone();
            assertThat(worker.redeem(grant)).isDone();
            assertThat(worker.claim(10)).hasSize(1);
            world.pass(MINUTE);
            assertThat(world.view(lapsed).state().terminal()).isTrue();
        }
    }

    @Test
    void work_does_not_begin_in_the_moment_of_its_deadline() {
        for (var policy : policies()) {
            var late = policy.deadline(Due.in(MINUTE));
            var worker = world.worker();
            var lapsed = lapsed(late);
            var granted = world.submit(late.priority(1));
            var grant = worker.granted(1, MINUTE).getFirst();
            assertThat(grant.execution()).isEqualTo(granted);
            var byHand = world.submit(late);

            world.advance(MINUTE);

            assertThat(worker.redeem(grant)).isRefused();
            assertThat(worker.reclaim(lapsed)).isConflict(Conflict.Code.NOT_CLAIMABLE);
            assertThat(world.claimByHand(byHand, worker)).isConflict(Conflict.Code.NOT_CLAIMABLE);
            assertThat(worker.claim(10)).isEmpty();
            assertThat(worker.granted(10, MINUTE)).isEmpty();
            world.pass(MINUTE);
        }
    }

    /** Plain work, and work that counts against something: a store may claim them differently. */
    private static List<Policy> policies() {
        return List.of(
                Policy.DEFAULT,
                Policy.DEFAULT.quota("mail"),
                Policy.DEFAULT.budget("team", Map.of("tokens", 1L)));
    }

    /** Work that has lost its lease and waits to be reclaimed. */
    private ExecutionId lapsed(Policy policy) {
        var id = world.submit(policy);
        var dying = world.worker();
        assertThat(dying.claim(1)).extracting(Given::idOf).containsExactly(id);
        dying.close();
        return id;
    }
}
