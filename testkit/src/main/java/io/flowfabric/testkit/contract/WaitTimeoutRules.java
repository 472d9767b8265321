package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.UNTIL_APPROVED;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.suspend;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Suspension.Behaviour;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** The end of a wait that nothing else has ended does exactly what it names, once. */
abstract class WaitTimeoutRules extends Rules {
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Duration TICK = Duration.ofMillis(1);

    WaitTimeoutRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private Lease waits(Behaviour behaviour) {
        return world.suspended(UNTIL_APPROVED.timeout(HOUR, behaviour));
    }

    @Test
    void the_answer_to_a_suspension_says_when_it_ends_by_itself() {
        var lease = world.begun();
        var until = world.in(HOUR);

        assertThat(world.end(suspend(lease, UNTIL_APPROVED.timeout(HOUR, Behaviour.FAIL))))
                .isDone(new Ended(Transition.SUSPEND, Optional.of(until)));
        assertThat(((Suspended) world.view(lease).state()).timeoutAt()).contains(until);
        assertThat(world.store().maintenance().nextDue(Duration.ofDays(1))).contains(HOUR);
    }

    @Test
    void nothing_happens_before_its_time() {
        EnumSet.allOf(Behaviour.class).forEach(this::assertNothingBeforeItsTime);
    }

    private void assertNothingBeforeItsTime(Behaviour behaviour) {
        var lease = waits(behaviour);
        world.pass(HOUR.minus(TICK));

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        assertThat(world.send(lease, "boss", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    @BatchAnswers("P35")
    void a_wait_that_is_over_is_not_ended_by_its_time() {
        EnumSet.allOf(Behaviour.class).forEach(this::assertNotEndedWhenOver);
    }

    private void assertNotEndedWhenOver(Behaviour behaviour) {
        var lease = waits(behaviour);
        world.send(lease, "boss", "approved", "ada").orThrow();
        world.pass(HOUR);

        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        world.end(complete(world.worker(lease.lane()).claimOne())).orThrow();
        world.pass(HOUR);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.COMPLETED);
        assertThat(world.received(idOf(lease))).hasSize(1);
    }

    @Test
    void fail_fails_it_for_good_however_many_retries_are_left() {
        var lease = waits(Behaviour.FAIL);
        world.pass(HOUR);

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.FAILED);
        assertThat(world.failureOf(idOf(lease)).category()).isEqualTo(Failure.TIMEOUT);
        assertThat(world.lastStep(idOf(lease)).by().orElseThrow().actor())
                .isEqualTo(Attribution.ENGINE);
        assertClosed(lease);
    }

    @Test
    void cancel_cancels_it() {
        var lease = waits(Behaviour.CANCEL);
        world.pass(HOUR);

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.CANCELLED);
        assertClosed(lease);
    }

    @Test
    void expire_expires_it() {
        var lease = waits(Behaviour.EXPIRE);
        world.pass(HOUR);

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.EXPIRED);
        assertClosed(lease);
    }

    private void assertClosed(Lease lease) {
        assertThat(world.send(lease, "boss", "approved", "ada"))
                .isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
        assertThat(world.recorded(idOf(lease))).isEmpty();
    }

    @Test
    @BatchAnswers("P9")
    void resume_lets_it_go_on_and_says_that_its_time_was_over() {
        var lease = waits(Behaviour.RESUME);
        world.pass(HOUR);

        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(world.resumption(idOf(lease), "approval"))
                .isEqualTo(new Resumption(Resumption.Cause.TIMEOUT, List.of()));
        assertThat(world.received(idOf(lease))).isEmpty();
        assertThat(world.worker(lease.lane()).claimOne().fence().attempt()).isZero();
        assertThat(world.send(lease, "boss", "approved", "ada"))
                .isConflict(Conflict.Code.WAITPOINT_CLOSED);
    }

    @Test
    @BatchAnswers("W1")
    void resume_with_a_signal_lets_it_find_one() {
        var lease = waits(Behaviour.RESUME_WITH_SIGNAL);
        world.pass(HOUR);

        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        var received = world.received(idOf(lease));
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().signal().name()).isEqualTo(Signal.TIMEOUT);
        assertThat(received.getFirst().signal().at().name()).isEqualTo("boss");
        assertThat(received.getFirst().signal().by().actor()).isEqualTo(Attribution.ENGINE);
        var resumption = world.resumption(idOf(lease), "approval");
        assertThat(resumption.by()).isEqualTo(Resumption.Cause.TIMEOUT);
        assertThat(resumption.signals()).containsExactly(received.getFirst().head());
    }

    @Test
    void resume_with_a_signal_needs_no_waitpoint() {
        var lease =
                world.suspended(
                        Suspension.untilResumed("review")
                                .timeout(HOUR, Behaviour.RESUME_WITH_SIGNAL));
        world.pass(HOUR);

        assertThat(world.received(idOf(lease)))
                .extracting(one -> one.signal().at().name())
                .containsExactly("review");
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
    }

    @Test
    void resume_with_a_signal_leaves_a_waitpoint_alone_that_is_called_like_the_wait() {
        var lease = world.begun();
        world.open(lease, "review").orThrow();
        world.send(lease, "review", "approved", "ada").orThrow();
        var before = world.waitpoints(lease.lane(), 10);
        world.end(
                        suspend(
                                lease,
                                Suspension.untilResumed("review")
                                        .timeout(HOUR, Behaviour.RESUME_WITH_SIGNAL)))
                .orThrow();
        world.pass(HOUR);

        assertThat(world.resumption(idOf(lease), "review").by())
                .isEqualTo(Resumption.Cause.TIMEOUT);
        assertThat(world.waitpoints(lease.lane(), 10)).isEqualTo(before);
        var next = world.worker(lease.lane()).claimOne();
        world.end(
                        suspend(
                                next,
                                Suspension.until("decision", Condition.signal("review"))
                                        .timeout(HOUR, Behaviour.FAIL)))
                .orThrow();
        assertThat(world.resumption(idOf(lease), "decision").signals())
                .extracting(SignalHead::name)
                .containsExactly("approved");
    }

    @Test
    void escalate_waits_on_for_an_operator_and_signals_still_count() {
        var lease = waits(Behaviour.ESCALATE);
        var since = world.now();
        world.pass(HOUR);

        assertThat(world.view(lease).state())
                .isEqualTo(
                        new Suspended(
                                SuspendedFor.WAITING_FOR_OPERATOR_REVIEW, since, Optional.empty()));
        assertThat(world.lastStep(idOf(lease)).transition()).isEqualTo(Transition.ESCALATE);
        world.pass(HOUR);
        assertThat(world.transitions(idOf(lease)))
                .containsExactly(
                        Transition.SUBMIT,
                        Transition.CLAIM,
                        Transition.SUSPEND,
                        Transition.ESCALATE);
        assertThat(world.send(lease, "boss", "approved", "ada").orThrow().effect())
                .isEqualTo(Effect.RESUMED);
    }

    @Test
    void an_escalated_wait_is_resumed_by_an_operator() {
        var lease = waits(Behaviour.ESCALATE);
        world.pass(HOUR);
        world.resume(idOf(lease));

        assertThat(world.worker(lease.lane()).claimOne().steps()).hasSize(1);
    }

    @Test
    void a_deadline_comes_before_the_end_of_a_wait() {
        var lease = world.begun(Policy.DEFAULT.deadline(Due.in(HOUR)));
        world.end(suspend(lease, UNTIL_APPROVED.timeout(HOUR, Behaviour.RESUME))).orThrow();
        world.pass(HOUR);

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.EXPIRED);
    }

    @Test
    void a_time_that_has_passed_ends_the_wait_with_the_next_round() {
        var lease = world.begun();
        world.end(
                        suspend(
                                lease,
                                UNTIL_APPROVED.timeout(
                                        Due.at(world.now().minus(HOUR)), Behaviour.RESUME)))
                .orThrow();
        world.tick();

        assertThat(world.view(lease).state()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
    }

    @Test
    void a_hundred_waits_end_in_the_order_of_their_times() {
        var lane = world.newLane();
        world.submit(100, () -> Given.work().lane(lane));
        world.worker(lane)
                .claim(100)
                .forEach(
                        lease ->
                                world.end(
                                                suspend(
                                                        lease,
                                                        UNTIL_APPROVED.timeout(
                                                                HOUR, Behaviour.RESUME)))
                                        .orThrow());
        world.pass(HOUR);

        assertThat(world.worker(lane).claim(100)).hasSize(100);
    }
}
