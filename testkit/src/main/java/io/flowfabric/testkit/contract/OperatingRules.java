package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rule 22: an operator claims, ends, revokes and moves one execution by its id. */
abstract class OperatingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    OperatingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    /** R30: what an operator did under that name would be missing from the operations topic. */
    @Test
    void no_operator_is_called_as_the_engine_is() {
        var engine = Attribution.engine("because I can");
        var calls =
                StoreCall.every(world, engine).stream()
                        .filter(call -> call.arguments().contains(engine))
                        .toList();
        assertThat(calls).hasSizeGreaterThan(10);
        var before = world.everything();

        for (var call : calls) {
            assertThat(asked(call::make)).as(call.toString()).isInvalid(Invalid.Code.RESERVED);
        }

        assertThat(world.everything()).isEqualTo(before);
    }

    /** R34: why it was cancelled is known for as long as the execution is. */
    @Test
    void who_ended_it_and_why_outlives_the_events() {
        var policy = Policy.DEFAULT.retention(Duration.ofDays(30));
        var cancelled = world.submit(policy);
        var completed = world.submit(policy);
        var failed = world.submit(policy);
        var expired = world.submit(policy.deadline(Due.in(Duration.ofHours(1))));
        world.cancel(cancelled);
        world.act(new OperatorCommand.Complete(completed, Endings.RESULT)).orThrow();
        world.act(new OperatorCommand.Fail(failed, Endings.FAILURE)).orThrow();

        world.pass(Duration.ofDays(20));

        assertThat(world.steps(cancelled)).isEmpty();
        for (var work : List.of(cancelled, completed, failed)) {
            assertThat(world.view(work).endedBy()).contains(Scenario.OLGA);
            assertThat(world.result(work).orThrow().endedBy()).contains(Scenario.OLGA);
        }
        assertThat(world.view(expired).endedBy()).contains(Attribution.engine("deadline"));
        assertThat(world.explain(cancelled).words())
                .contains(Scenario.OLGA.actor(), Scenario.OLGA.reason());
    }

    @Test
    void what_its_worker_ended_was_ended_by_no_operator_and_a_replay_has_not_ended() {
        var lease = world.begun();
        world.end(complete(lease)).orThrow();
        assertThat(world.view(lease).endedBy()).isEmpty();
        assertThat(world.result(idOf(lease)).orThrow().endedBy()).isEmpty();

        var cancelled = world.submit();
        world.cancel(cancelled);
        world.act(new OperatorCommand.Replay(cancelled)).orThrow();
        assertThat(world.view(cancelled).endedBy()).isEmpty();
        world.pause(cancelled);
        assertThat(world.view(cancelled).endedBy()).isEmpty();
    }

    @Test
    @BatchAnswers("P8")
    void an_operator_leases_fresh_work_to_a_worker() {
        var first = world.submit();
        var second = world.submit();
        var worker = world.worker();

        var lease = world.claimByHand(second, worker).orThrow();

        assertThat(lease.fence()).isEqualTo(world.fence(second, 0, 1));
        assertThat(lease.input()).isEqualTo(work().input());
        assertThat(world.view(second)).isHeldBy(worker).hasBegun(1);
        assertThat(world.end(complete(lease))).isDone();
        assertThat(worker.take(2)).containsExactly(first);
    }

    @Test
    void an_operator_may_lease_past_everything_but_the_state_and_the_namespace() {
        var lane = world.newLane();
        var work = world.submit(work(Policy.DEFAULT.needs(Capabilities.of("gpu"))).lane(lane));
        world.configure(lane, LaneSettings.State.DISABLED);
        var stranger = world.worker(world.session(Lane.DEFAULT).kinds("something-else"));

        assertThat(world.claimByHand(work, stranger)).isDone();
        assertThat(world.view(work)).isHeldBy(stranger);
    }

    @Test
    void leasing_again_to_the_same_worker_is_the_same_lease() {
        var work = world.submit();
        var worker = world.worker();
        var lease = world.claimByHand(work, worker).orThrow();
        var before = world.everything();

        assertThat(world.claimByHand(work, worker)).isDone(lease);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void what_is_not_ready_is_not_leased_by_hand() {
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var held = world.submit();
        world.pause(held);
        var running = idOf(world.begun());

        for (var work : List.of(delayed, held, running)) {
            assertThat(world.claimByHand(work, world.worker()))
                    .isConflict(Conflict.Code.NOT_CLAIMABLE);
        }
    }

    @Test
    void a_lease_by_hand_names_who_gave_it_and_who_got_it() {
        var work = world.submit();
        var worker = world.worker();
        world.claimByHand(work, worker).orThrow();

        var claim = world.lastStep(work);
        assertThat(claim.transition()).isEqualTo(Transition.CLAIM);
        assertThat(claim.by()).contains(Scenario.OLGA);
        assertThat(claim.owner()).contains(worker.owner());
        assertThat(claim.leaseChange()).contains(Event.LeaseChange.ACQUIRED);

        world.revoke(work);
        world.claimByHand(work, worker).orThrow();
        assertThat(world.lastStep(work).transition()).isEqualTo(Transition.RECLAIM);
    }

    @Test
    void a_lease_by_hand_belongs_to_no_claim_of_the_worker() {
        var work = world.submit();
        var worker = world.worker();
        world.claimByHand(work, worker).orThrow();

        assertThat(worker.claim(1, 1)).isEmpty();
        assertThat(worker.repeatClaim(1)).isEmpty();
        worker.close();
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(1);
    }

    @Test
    void an_operator_completes_running_work_with_a_result_from_outside() {
        var lease = world.begun();
        var result = Payload.text("by hand");

        assertThat(world.act(new OperatorCommand.Complete(idOf(lease), result))).isDone();

        assertThat(world.view(lease)).endedAs(Outcome.SUCCESS);
        assertThat(world.result(idOf(lease)).orThrow().result()).contains(result);
        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(world.lastStep(idOf(lease)).by()).contains(Scenario.OLGA);
        assertThat(world.lastStep(idOf(lease)).leaseChange()).contains(Event.LeaseChange.REVOKED);
    }

    @Test
    void an_operator_fails_work_without_a_retry() {
        var lease = world.begun();
        var failure = Failure.of(Failure.TRANSIENT, "given up by hand");

        assertThat(world.act(new OperatorCommand.Fail(idOf(lease), failure))).isDone();

        assertThat(world.view(lease)).endedAs(Outcome.FAILED).hasRetried(0);
        assertThat(world.failureOf(idOf(lease))).isEqualTo(failure);
        assertThat(world.end(complete(lease))).isLeaseLost();
    }

    @Test
    void asking_for_the_end_that_was_reached_is_success_and_changes_nothing() {
        var completed = world.begun();
        world.end(complete(completed)).orThrow();
        var failed = world.submit();
        world.act(new OperatorCommand.Fail(failed, Endings.FAILURE)).orThrow();
        var before = world.everything();

        assertThat(
                        world.act(
                                new OperatorCommand.Complete(
                                        idOf(completed), Payload.text("another"))))
                .isDone(world.view(completed).state());
        assertThat(world.act(new OperatorCommand.Fail(failed, Failure.of("another", "another"))))
                .isDone(world.view(failed).state());

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.result(idOf(completed)).orThrow().result()).contains(Endings.RESULT);
    }

    @Test
    void asking_for_another_end_than_was_reached_is_a_contradiction() {
        var completed = idOf(world.begun());
        world.act(new OperatorCommand.Complete(completed, Endings.RESULT)).orThrow();
        var cancelled = world.submit();
        world.cancel(cancelled);

        for (var act :
                List.of(
                        new OperatorCommand.Fail(completed, Endings.FAILURE),
                        new OperatorCommand.Cancel(completed),
                        new OperatorCommand.Complete(cancelled, Endings.RESULT),
                        new OperatorCommand.Fail(cancelled, Endings.FAILURE))) {
            assertThat(world.act(act)).isConflict(Conflict.Code.ALREADY_FINISHED);
        }
    }

    @Test
    void revoking_takes_the_lease_away_and_counts_as_no_lapse() {
        var lease = world.begun();

        assertThat(world.act(new OperatorCommand.Revoke(idOf(lease))))
                .isDone(new Ready(LeasePurpose.RECLAIM));

        assertThat(world.view(lease)).hasLapsed(0).hasRetried(0).hasBegun(1).isUnowned();
        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(world.lastStep(idOf(lease)).leaseChange()).contains(Event.LeaseChange.REVOKED);
        assertThat(world.worker(lease.lane()).claimOne().fence())
                .isEqualTo(world.fence(idOf(lease), 0, 2));
    }

    @Test
    @BatchAnswers("P33")
    void revoking_what_nobody_holds_is_success_and_changes_nothing() {
        var ready = world.submit();
        var delayed = world.begun();
        world.end(delay(delayed, MINUTE)).orThrow();
        var before = world.everything();

        assertThat(world.act(new OperatorCommand.Revoke(ready)))
                .isDone(new Ready(LeasePurpose.FIRST));
        assertThat(world.act(new OperatorCommand.Revoke(idOf(delayed))))
                .isDone(world.view(delayed).state());

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers("P33")
    void there_is_no_lease_left_to_revoke_after_the_end() {
        var lease = world.begun();
        world.end(complete(lease)).orThrow();

        assertThat(world.act(new OperatorCommand.Revoke(idOf(lease))))
                .isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(world.view(lease)).isUnowned();
    }

    @Test
    void a_new_priority_leaves_the_lease_alone() {
        var lease = world.begun();

        assertThat(world.act(new OperatorCommand.Reprioritise(idOf(lease), 9)))
                .isDone(new Running(lease.session(), lease.since()));

        var step = world.lastStep(idOf(lease));
        assertThat(step.transition()).isEqualTo(Transition.REPRIORITISE);
        assertThat(step.now()).isEqualTo(Situation.RUNNING);
        assertThat(step.owner()).isEmpty();
        assertThat(world.view(lease).priority()).isEqualTo(9);
        assertThat(world.view(lease).policy().priority()).isZero();
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void the_priority_that_it_has_is_no_new_priority() {
        var work = world.submit(Policy.DEFAULT.priority(5));
        var before = world.everything();

        assertThat(world.act(new OperatorCommand.Reprioritise(work, 5)))
                .isDone(new Ready(LeasePurpose.FIRST));

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void the_acts_of_one_call_see_each_other_in_order() {
        var work = world.submit();

        var answers =
                world.store()
                        .operations()
                        .act(
                                List.of(
                                        new OperatorCommand.Pause(work),
                                        new OperatorCommand.Resume(work),
                                        new OperatorCommand.Cancel(work),
                                        new OperatorCommand.Pause(work),
                                        new OperatorCommand.Replay(work)),
                                Scenario.OLGA);

        assertThat(answers.get(1)).isDone(new Ready(LeasePurpose.FIRST));
        assertThat(answers.get(3)).isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(answers.get(4)).isDone(new Ready(LeasePurpose.REPLAY));
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.REPLAY));
    }
}
