package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.everyEnding;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rule 6: what is cancelled stops at once, and what had ended stays as it was. */
abstract class CancellingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    CancellingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("P25")
    void cancelling_running_work_fences_its_worker_at_once() {
        var lease = world.begun();

        world.cancel(idOf(lease));

        for (var ending : everyEnding(lease.fence())) {
            assertThat(world.end(ending)).isLeaseLost(PublicState.CANCELLED, 1);
        }
        assertThat(world.report(lease, 99)).isLeaseLost();
        assertThat(world.view(lease)).endedAs(Outcome.CANCELLED);
        assertThat(world.result(idOf(lease)).orThrow().result()).isEmpty();
    }

    @Test
    @BatchAnswers("P25")
    void the_worker_of_cancelled_work_is_told_by_its_heartbeat() {
        world.submit(2, Given::work);
        var worker = world.worker();
        var leases = worker.claim(2);

        world.cancel(idOf(leases.get(0)));

        var beat = worker.beat(leases.get(0).fence(), leases.get(1).fence()).orThrow();
        assertThat(beat.lost()).containsExactly(leases.get(0).fence());
    }

    @Test
    void whatever_has_not_ended_can_be_cancelled() {
        var ready = world.submit();
        var delayed = world.submit(Policy.DEFAULT.start(Due.in(MINUTE)));
        var letGo = world.begun();
        world.end(delay(letGo, MINUTE)).orThrow();
        var backingOff = world.begun();
        world.end(retry(backingOff, MINUTE)).orThrow();
        var held = world.submit();
        world.pause(held);

        for (var work : List.of(ready, delayed, idOf(letGo), idOf(backingOff), held)) {
            world.cancel(work);
            assertThat(world.view(work)).endedAs(Outcome.CANCELLED);
        }
        world.pass(MINUTE);
        assertThat(world.worker().claim(5)).isEmpty();
    }

    @Test
    void work_that_was_cancelled_before_it_began_has_no_attempt_behind_it() {
        var unstarted = world.submit();
        var started = world.begun();

        world.cancel(unstarted);
        world.cancel(idOf(started));

        assertThat(world.view(unstarted))
                .reads(cancelledNow(AttemptState.PENDING_FIRST_ATTEMPT))
                .hasBegun(0);
        assertThat(world.view(started))
                .reads(cancelledNow(AttemptState.ATTEMPT_TERMINAL))
                .hasBegun(1);
    }

    @Test
    void cancelling_again_is_success_and_changes_nothing() {
        var work = world.submit();
        world.cancel(work);
        var before = world.everything();
        world.advance(MINUTE);

        assertThat(world.act(new OperatorCommand.Cancel(work))).isDone(world.view(work).state());

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers("W6")
    void cancelling_many_answers_for_each_and_leaves_what_had_ended_alone() {
        var live = world.submit();
        var completed = world.begun();
        world.end(complete(completed)).orThrow();
        var cancelled = world.submit();
        world.cancel(cancelled);
        var alsoLive = world.begun();

        var answers =
                world.store()
                        .operations()
                        .act(
                                List.of(
                                        new OperatorCommand.Cancel(live),
                                        new OperatorCommand.Cancel(idOf(completed)),
                                        new OperatorCommand.Cancel(cancelled),
                                        new OperatorCommand.Cancel(unknown()),
                                        new OperatorCommand.Cancel(idOf(alsoLive))),
                                Scenario.OLGA);

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(answers.get(2)).isDone();
        assertThat(answers.get(3)).isNotFound("execution");
        assertThat(answers.get(4)).isDone();
        assertThat(world.view(completed)).endedAs(Outcome.SUCCESS);
        assertThat(world.view(alsoLive)).endedAs(Outcome.CANCELLED);
    }

    @Test
    void who_cancelled_and_why_is_kept() {
        var lease = world.begun();
        var by = new Attribution("grace", "the customer has left");

        world.store().operations().act(List.of(new OperatorCommand.Cancel(idOf(lease))), by);

        var step = world.lastStep(idOf(lease));
        assertThat(step.transition()).isEqualTo(Transition.CANCEL);
        assertThat(step.by()).contains(by);
        assertThat(step.owner().orElseThrow().session()).isEqualTo(lease.session());
        assertThat(step.leaseChange()).contains(Event.LeaseChange.REVOKED);
    }

    @Test
    void a_worker_can_call_its_own_work_off() {
        var lease = world.begun();

        world.end(new Ending.Cancel(lease.fence(), "no longer wanted")).orThrow();

        assertThat(world.view(lease)).endedAs(Outcome.CANCELLED);
        var step = world.lastStep(idOf(lease));
        assertThat(step.by()).isEmpty();
        assertThat(step.failure()).contains(Failure.of(Failure.CANCELLED, "no longer wanted"));
        assertThat(world.act(new OperatorCommand.Cancel(idOf(lease)))).isDone();
    }

    private Finished cancelledNow(AttemptState attempt) {
        return new Finished(Outcome.CANCELLED, world.now(), attempt);
    }
}
