package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.UNTIL_APPROVED;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.suspend;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Condition.Distinct;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Suspension.Behaviour;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** An execution lets go of everything while it waits, and goes on when its condition is met. */
abstract class SuspendingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    SuspendingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_suspended_execution_is_not_claimed_and_says_since_when_and_for_what_it_waits() {
        var lease = world.begun();

        assertThat(world.end(suspend(lease, UNTIL_APPROVED)))
                .isDone(new Ended(Transition.SUSPEND, Optional.empty()));

        assertThat(world.view(lease).state())
                .isEqualTo(
                        new Suspended(
                                SuspendedFor.WAITING_FOR_SIGNAL, world.now(), Optional.empty()));
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        assertThat(world.worker(lease.lane()).claim(1)).isEmpty();
        assertThat(world.report(lease, 50)).isLeaseLost(PublicState.SUSPENDED, 1);
        assertThat(world.explain(idOf(lease)).words()).contains("boss");
        assertThat(
                        world.find(
                                Search.in(Namespace.DEFAULT)
                                        .lane(lease.lane().name())
                                        .states(PublicState.SUSPENDED)))
                .containsExactly(idOf(lease));
    }

    @Test
    void a_signal_lets_it_go_on_in_the_same_attempt_with_a_step_that_says_why() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.pass(MINUTE);

        var delivery = world.send(lease, "boss", "approved", "ada").orThrow();

        assertThat(delivery.effect()).isEqualTo(Effect.RESUMED);
        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(world.lastStep(idOf(lease)).transition()).isEqualTo(Transition.RESUME);
        assertThat(world.lastStep(idOf(lease)).by().orElseThrow().actor()).isEqualTo("ada");
        var next = world.worker(lease.lane()).claimOne();
        assertThat(next.fence().attempt()).isEqualTo(lease.fence().attempt());
        assertThat(next.fence().epoch()).isGreaterThan(lease.fence().epoch());
        assertThat(next.steps()).hasSize(1);
        var resumption = world.resumption(idOf(lease), "approval");
        assertThat(resumption.by()).isEqualTo(Resumption.Cause.SIGNAL);
        assertThat(resumption.signals()).hasSize(1);
        assertThat(resumption.signals().getFirst().name()).isEqualTo("approved");
        assertThat(world.end(complete(next))).isDone();
    }

    @Test
    void only_the_signal_that_is_named_counts() {
        var lease =
                world.suspended(Suspension.until("approval", Condition.signal("boss", "approved")));

        assertThat(world.send(lease, "boss", "seen", "ada").orThrow().effect())
                .isEqualTo(Effect.KEPT);
        assertThat(world.send(lease, "elsewhere", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.KEPT);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        assertThat(world.send(lease, "boss", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    void all_of_several_signals_are_waited_for_in_any_order() {
        var lease =
                world.suspended(
                        Suspension.until(
                                "both",
                                Condition.all(
                                        Condition.signal("left"), Condition.signal("right"))));

        assertThat(world.send(lease, "right", "done", "ada").orThrow().effect())
                .isEqualTo(Effect.COUNTED);
        assertThat(world.send(lease, "right", "done", "bob").orThrow().effect())
                .isEqualTo(Effect.KEPT);
        assertThat(world.send(lease, "left", "done", "ada").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
        assertThat(world.resumption(idOf(lease), "both").signals()).hasSize(2);
    }

    @Test
    void two_distinct_sources_are_two_people_and_not_one_person_twice() {
        var lease =
                world.suspended(
                        Suspension.until(
                                "four-eyes",
                                Condition.atLeast(2, Distinct.SOURCES, "left", "right")));

        assertThat(world.send(lease, "left", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.COUNTED);
        assertThat(world.send(lease, "right", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.KEPT);
        assertThat(world.send(lease, "left", "approved", "bob").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    @BatchAnswers("W8")
    void counts_of_one_condition_do_not_touch_each_other() {
        var lease =
                world.suspended(
                        Suspension.until(
                                "both",
                                Condition.all(
                                        Condition.atLeast(2, Distinct.SIGNALS, "left"),
                                        Condition.atLeast(2, Distinct.SIGNALS, "right"))));

        world.send(lease, "left", "a", "ada").orThrow();
        world.send(lease, "right", "a", "ada").orThrow();
        assertThat(world.send(lease, "left", "a", "ada").orThrow().effect())
                .isEqualTo(Effect.COUNTED);
        assertThat(world.send(lease, "right", "a", "ada").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    @BatchAnswers("P39")
    void signals_that_came_early_count_as_soon_as_something_waits_for_them() {
        var lease = world.begun();
        world.open(lease, "boss").orThrow();
        assertThat(world.send(lease, "boss", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.KEPT);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.ACTIVE);

        assertThat(world.end(suspend(lease, UNTIL_APPROVED)))
                .isDone(new Ended(Transition.SUSPEND, Optional.empty()));

        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(world.worker(lease.lane()).claimOne().steps()).hasSize(1);
        assertThat(world.resumption(idOf(lease), "approval").by())
                .isEqualTo(Resumption.Cause.SIGNAL);
    }

    @Test
    void early_signals_may_be_some_of_those_that_it_waits_for() {
        var lease = world.begun();
        world.send(lease, "votes", "yes", "ada").orThrow();
        world.send(lease, "votes", "yes", "ada").orThrow();

        world.end(
                        suspend(
                                lease,
                                Suspension.until(
                                        "quorum", Condition.atLeast(2, Distinct.SOURCES, "votes"))))
                .orThrow();

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        assertThat(world.send(lease, "votes", "yes", "bob").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    void it_goes_on_some_time_after_the_last_signal_if_it_asked_for_that() {
        var lease = world.suspended(UNTIL_APPROVED.resumeDelay(MINUTE));
        world.send(lease, "boss", "approved", "ada").orThrow();

        assertThat(world.view(lease).state())
                .isEqualTo(
                        new Delayed(LeasePurpose.CONTINUE, world.in(MINUTE), DelayedBy.RESUMPTION));
        assertThat(world.worker(lease.lane()).claim(1)).isEmpty();
        world.pass(MINUTE);
        assertThat(world.worker(lease.lane()).claim(1)).hasSize(1);
    }

    @Test
    void an_operator_resumes_it_whatever_it_waits_for() {
        var lease = world.suspended(UNTIL_APPROVED.resumeDelay(MINUTE));
        world.resume(idOf(lease));

        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(world.resumption(idOf(lease), "approval"))
                .isEqualTo(new Resumption(Resumption.Cause.OPERATOR, List.of()));
        assertThat(world.send(lease, "boss", "approved", "ada"))
                .isConflict(Conflict.Code.WAITPOINT_CLOSED);
    }

    @Test
    void what_waits_for_an_operator_alone_is_resumed_by_no_signal() {
        var lease = world.suspended(Suspension.untilResumed("review"));

        assertThat(world.view(lease).state().vector().toString()).contains("paused_by_operator");
        assertThat(world.send(lease, "review", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.KEPT);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        world.resume(idOf(lease));
        assertThat(world.worker(lease.lane()).claim(1)).hasSize(1);
    }

    @Test
    void a_suspension_frees_what_the_lease_counted_against() {
        var lane = world.newLane();
        world.store().quotas().define(Quota.atOnce("one", 1), Scenario.OLGA);
        world.submit(2, () -> work(Policy.DEFAULT.quota("one")).lane(lane));
        var worker = world.worker(lane);
        var first = worker.claimOne();
        assertThat(worker.claim(1)).isEmpty();

        world.end(suspend(first, UNTIL_APPROVED)).orThrow();

        var second = worker.claimOne();
        assertThat(idOf(second)).isNotEqualTo(idOf(first));
        world.send(first, "boss", "approved", "ada").orThrow();
        assertThat(worker.claim(1)).isEmpty();
        world.end(complete(second)).orThrow();
        assertThat(idOf(worker.claimOne())).isEqualTo(idOf(first));
    }

    @Test
    void what_goes_on_comes_before_fresh_work() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.submit(work().lane(lease.lane()));
        world.send(lease, "boss", "approved", "ada").orThrow();

        assertThat(idOf(world.worker(lease.lane()).claimOne())).isEqualTo(idOf(lease));
    }

    @Test
    void cancelling_ends_a_wait_and_its_waitpoints() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.cancel(idOf(lease));

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.CANCELLED);
        assertThat(world.send(lease, "boss", "approved", "ada"))
                .isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(world.store().signals().waitpoints(idOf(lease))).isEmpty();
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
        world.pass(MINUTE);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.CANCELLED);
    }

    @Test
    void a_deadline_ends_a_wait_too() {
        var lease = world.begun(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        world.end(suspend(lease, UNTIL_APPROVED)).orThrow();
        world.pass(MINUTE);

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.EXPIRED);
    }

    @Test
    void a_wait_under_the_name_of_a_step_is_refused_and_changes_nothing() {
        var lease = world.begun();
        world.checkpoint(lease, "approval", Payload.text("x")).orThrow();

        assertThat(world.end(suspend(lease, UNTIL_APPROVED)))
                .isConflict(Conflict.Code.RECORDED_DIFFERENTLY);
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void a_wait_that_would_be_one_step_too_many_is_refused() {
        var lease = world.begun();
        for (int n = 0; n < Limit.STEPS.max(); n++) {
            world.checkpoint(lease, "step " + n, Payload.EMPTY).orThrow();
        }

        assertThat(world.end(suspend(lease, UNTIL_APPROVED))).isInvalid(Invalid.Code.TOO_MANY);
        assertThat(world.end(complete(lease))).isDone();
    }

    /** When it ends nobody can be told that its step does not fit. */
    @Test
    void a_wait_whose_step_might_not_fit_among_the_others_is_refused() {
        var lease = world.begun();
        var large = Payload.of(new byte[(int) Limit.STEP_BYTES.max() - 10], "x/y");
        for (int n = 10; n < 10 + Limit.ALL_STEPS_BYTES.max() / Limit.STEP_BYTES.max(); n++) {
            world.checkpoint(lease, "step-" + n, large).orThrow();
        }

        assertThat(world.end(suspend(lease, UNTIL_APPROVED))).isInvalid(Invalid.Code.TOO_LARGE);
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void a_replay_goes_on_behind_the_waits_that_were_over_and_waits_again_where_it_was() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.send(lease, "boss", "approved", "ada").orThrow();
        var again = world.worker(lease.lane()).claimOne();
        world.end(suspend(again, Suspension.until("payment", Condition.signal("bank")))).orThrow();
        world.cancel(idOf(lease));
        world.replay(idOf(lease));

        var replayed = world.worker(lease.lane()).claimOne();
        assertThat(replayed.steps()).extracting(step -> step.name()).containsExactly("approval");
        assertThat(world.store().signals().waitpoints(idOf(lease))).isEmpty();
        world.end(suspend(replayed, Suspension.until("payment", Condition.signal("bank"))))
                .orThrow();
        assertThat(world.send(lease, "bank", "paid", "bank").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    void a_fresh_replay_waits_for_everything_again() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.send(lease, "boss", "approved", "ada").orThrow();
        world.end(complete(world.worker(lease.lane()).claimOne())).orThrow();
        world.act(new OperatorCommand.Replay(idOf(lease), true)).orThrow();

        var replayed = world.worker(lease.lane()).claimOne();
        assertThat(replayed.steps()).isEmpty();
        world.end(suspend(replayed, UNTIL_APPROVED)).orThrow();
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
    }

    @Test
    void a_paused_lane_keeps_what_goes_on_waiting() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.configure(lease.lane(), LaneSettings.State.PAUSED);
        world.send(lease, "boss", "approved", "ada").orThrow();

        assertThat(world.worker(lease.lane()).claim(1)).isEmpty();
        world.configure(lease.lane(), LaneSettings.State.ACTIVE);
        assertThat(world.worker(lease.lane()).claim(1)).hasSize(1);
    }

    @Test
    void conditions_that_can_never_be_met_or_lie_too_deep_are_refused() {
        Condition deep = Condition.signal("a");
        for (int n = 0; n < Condition.MAX_DEPTH; n++) {
            deep = Condition.all(deep);
        }
        var deepest = deep;
        assertThat(Given.asked(() -> Suspension.until("x", deepest))).isDone();
        assertThat(Given.asked(() -> Suspension.until("x", Condition.all(deepest))))
                .isInvalid(Invalid.Code.IMPOSSIBLE_CONDITION);
        assertThat(Given.asked(() -> Condition.atLeast(3, Distinct.WAITPOINTS, "a", "b")))
                .isInvalid(Invalid.Code.IMPOSSIBLE_CONDITION);
        assertThat(Given.asked(() -> Condition.atLeast(0, Distinct.SIGNALS, "a")))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
        assertThat(Given.asked(() -> Condition.all())).isInvalid(Invalid.Code.IMPOSSIBLE_CONDITION);
    }

    @Test
    void several_executions_are_suspended_in_one_call_beside_other_endings() {
        var lane = world.newLane();
        world.submit(4, () -> work().lane(lane));
        var leases = world.worker(lane).claim(4);

        var answers =
                world.store()
                        .leases()
                        .end(
                                List.of(
                                        suspend(leases.get(0), UNTIL_APPROVED),
                                        complete(leases.get(1)),
                                        suspend(leases.get(2), UNTIL_APPROVED),
                                        complete(leases.get(0)),
                                        complete(leases.get(3))));

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isDone();
        assertThat(answers.get(2)).isDone();
        assertThat(answers.get(3)).isConflict(Conflict.Code.ENDED_DIFFERENTLY);
        assertThat(answers.get(4)).isDone();
        assertThat(world.store().queries().counts(lane.namespace()).get(lane))
                .containsEntry(PublicState.SUSPENDED, 2L)
                .containsEntry(PublicState.COMPLETED, 2L);
    }

    @Test
    void what_waits_holds_no_session_when_that_dies() {
        var worker = world.frailWorker();
        world.submit();
        var lease = worker.claimOne();
        world.end(suspend(lease, UNTIL_APPROVED.timeout(Duration.ofDays(1), Behaviour.FAIL)))
                .orThrow();

        world.bury(worker);

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        assertThat(world.view(lease).reclaims()).isZero();
        assertThat(world.send(lease, "boss", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
        assertThat(world.worker(Lane.DEFAULT).claim(1)).hasSize(1);
    }
}
