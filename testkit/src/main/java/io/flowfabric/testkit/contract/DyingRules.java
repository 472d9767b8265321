package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.StateVector;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule 4: when a worker dies, its work comes back by itself. */
abstract class DyingRules extends Rules {
    DyingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"W30", "P6"})
    void the_work_of_a_dead_worker_is_ready_again() {
        var work = world.submit();
        var frail = world.frailWorker();
        frail.claimOne();

        world.bury(frail);

        assertThat(world.view(work))
                .reads(new Ready(LeasePurpose.RECLAIM))
                .isUnowned()
                .hasBegun(1)
                .hasRetried(0)
                .hasLapsed(1);
        assertThat(world.view(work).state().vector().attempt())
                .isEqualTo(StateVector.AttemptState.ATTEMPT_INTERRUPTED);
    }

    @Test
    @BatchAnswers("W30")
    void the_next_worker_goes_on_with_the_same_attempt_under_a_new_epoch() {
        var work = world.submit();
        var frail = world.frailWorker();
        frail.claimOne();
        world.bury(frail);

        var lease = world.worker().claimOne();

        assertThat(lease.fence()).isEqualTo(world.fence(work, 0, 2));
        assertThat(lease.next()).isEqualTo(LeasePurpose.RECLAIM);
        assertThat(lease.retriesUsed()).isZero();
        assertThat(world.transitions(work))
                .containsExactly(
                        Transition.SUBMIT, Transition.CLAIM, Transition.LAPSE, Transition.RECLAIM);
    }

    @Test
    void a_lapse_names_whose_lease_it_was_and_nobody_who_did_it() {
        var work = world.submit();
        var frail = world.frailWorker();
        frail.claimOne();

        world.bury(frail);

        var lapse = world.lastStep(work);
        assertThat(lapse.transition()).isEqualTo(Transition.LAPSE);
        assertThat(lapse.owner()).contains(frail.owner());
        assertThat(lapse.by()).isEmpty();
        assertThat(lapse.epoch()).isEqualTo(world.fence(work, 0, 1).epoch());
    }

    @Test
    void a_dead_worker_finishes_nothing_also_while_its_work_has_not_come_back() {
        var lease = world.begun();
        world.poison(idOf(lease));
        world.store().sessions().close(lease.session());
        world.heal(idOf(lease));

        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(world.report(lease, 50)).isLeaseLost();

        world.tick(Chore.SESSIONS, 10);
        assertThat(world.view(lease)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(1);
        assertThat(world.end(complete(lease))).isLeaseLost();
    }

    @Test
    @BatchAnswers("P21")
    void what_was_reclaimed_is_not_taken_from_its_new_worker() {
        var work = world.submit();
        var frail = world.frailWorker();
        frail.claimOne();
        world.bury(frail);
        var heir = world.worker();
        var lease = heir.claimOne();

        world.tick();
        world.pass(frail.session().ttl());
        world.pass(frail.session().ttl());

        assertThat(world.view(work)).isHeldBy(heir).hasBegun(1).hasLapsed(1);
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    @BatchAnswers("P26")
    void a_dead_worker_is_no_timeout() {
        var policy = Policy.DEFAULT.attemptTimeout(Duration.ofSeconds(45)).retry(Retry.NEVER);
        var work = world.submit(policy);
        var frail = world.frailWorker();
        frail.claimOne();

        world.bury(frail);
        world.pass(Duration.ofSeconds(15));
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(1);

        var lease = world.worker().claimOne();
        world.pass(Duration.ofSeconds(44));
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    @BatchAnswers("P27")
    void work_that_kills_its_workers_fails_at_the_cap() {
        var work = world.submit(Policy.DEFAULT.maxReclaims(2));
        for (int death = 1; death <= 2; death++) {
            killWorker();
            assertThat(world.view(work)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(death);
        }

        killWorker();

        assertThat(world.view(work)).endedAs(Outcome.FAILED).hasLapsed(2).hasBegun(1);
        assertThat(world.failureOf(work))
                .isEqualTo(Failure.of(Failure.INFRA_CRASH, "max_reclaims_exceeded"));
        assertThat(world.lastStep(work).by()).contains(Attribution.engine("max_reclaims_exceeded"));
        // R36
        assertThat(world.lastStep(work).leaseChange()).contains(Event.LeaseChange.EXPIRED);
        assertThat(world.worker().claim(1)).isEmpty();
    }

    @Test
    @BatchAnswers("P27")
    void work_that_may_not_lapse_at_all_fails_with_its_first_worker() {
        var work = world.submit(Policy.DEFAULT.maxReclaims(0));

        killWorker();

        assertThat(world.view(work)).endedAs(Outcome.FAILED).hasLapsed(0);
    }

    @Test
    @BatchAnswers("P27")
    void the_cap_is_a_hundred_unless_the_policy_says_otherwise() {
        var work = world.submit();
        for (int i = 0; i < 100; i++) {
            var worker = world.worker();
            worker.claimOne();
            worker.close();
        }
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(100);

        killWorker();

        assertThat(world.view(work)).endedAs(Outcome.FAILED);
    }

    @Test
    @BatchAnswers("W4")
    void many_deaths_at_once_leave_nobody_behind() {
        var works = world.submit(120, Given::work);
        var workers =
                IntStream.range(0, 60)
                        .mapToObj(i -> world.frailWorker())
                        .peek(worker -> assertThat(worker.claim(2)).hasSize(2))
                        .toList();
        world.advance(workers.getLast().session().ttl());

        int rounds = 0;
        while (world.tick(Chore.SESSIONS, 7).more()) {
            assertThat(++rounds).as("rounds of seven").isLessThan(200);
        }

        assertThat(works)
                .allSatisfy(
                        work ->
                                assertThat(world.view(work))
                                        .reads(new Ready(LeasePurpose.RECLAIM))
                                        .hasLapsed(1));
    }

    @Test
    @BatchAnswers("W4")
    void a_round_buries_no_more_than_its_limit_and_says_that_there_is_more() {
        var works = world.submit(10, Given::work);
        var frail = world.frailWorker();
        frail.claim(10);
        world.advance(frail.session().ttl());

        var round = world.tick(Chore.SESSIONS, 4);

        assertThat(round.processed()).isBetween(1, 4);
        assertThat(round.more()).isTrue();
        assertThat(works.stream().filter(work -> world.view(work).reclaims() > 0).count())
                .isLessThanOrEqualTo(4);
        assertThat(world.tick(Chore.SESSIONS, 100).processed()).isPositive();
        assertThat(works).allSatisfy(work -> assertThat(world.view(work)).hasLapsed(1));
        assertThat(world.tick(Chore.SESSIONS, 4)).isEqualTo(new Round(0, 0, false));
    }

    @Test
    void a_death_happens_once_however_often_it_is_looked_for() {
        var work = world.submit();
        var frail = world.frailWorker();
        frail.claimOne();

        world.bury(frail);
        world.tick();
        frail.close();
        world.tick();

        assertThat(world.view(work)).hasLapsed(1);
        assertThat(world.transitions(work))
                .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.LAPSE);
    }

    @Test
    void work_that_was_finished_in_time_outlives_its_worker() {
        var work = world.submit();
        var frail = world.frailWorker();
        world.end(complete(frail.claimOne())).orThrow();

        world.bury(frail);

        assertThat(world.view(work)).endedAs(Outcome.SUCCESS).hasLapsed(0);
    }

    @Test
    void closing_a_session_gives_its_work_back_at_once() {
        var work = world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();

        worker.close();

        assertThat(world.view(work))
                .reads(new Ready(LeasePurpose.RECLAIM))
                .hasLapsed(1)
                .isUnowned();
        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(asked(() -> worker.claim(1))).isNotFound("session");
    }

    @Test
    void closing_a_session_again_or_one_that_never_was_does_nothing() {
        world.submit();
        var worker = world.worker();
        worker.claimOne();
        worker.close();
        var before = world.everything();

        worker.close();
        world.store().sessions().close(SessionId.mint());

        assertThat(world.everything()).isEqualTo(before);
    }

    private void killWorker() {
        var frail = world.frailWorker();
        frail.claimOne();
        world.bury(frail);
    }
}
