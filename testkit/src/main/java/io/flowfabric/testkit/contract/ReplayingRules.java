package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.cancel;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rule 5: replay is the one way back from the end. */
abstract class ReplayingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    ReplayingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void every_outcome_can_be_replayed_and_finished_again() {
        var succeeded = world.begun();
        world.end(complete(succeeded)).orThrow();
        var failed = world.begun();
        world.end(fail(failed)).orThrow();
        var cancelled = world.begun();
        world.cancel(idOf(cancelled));
        var expired = world.begun(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        world.pass(MINUTE);

        for (var lease : List.of(succeeded, failed, cancelled, expired)) {
            assertThat(world.act(new OperatorCommand.Replay(idOf(lease))))
                    .isDone(new Ready(LeasePurpose.REPLAY));

            var again = world.worker(lease.lane()).claimOne();
            assertThat(again.fence()).isEqualTo(world.fence(idOf(lease), 1, 2));
            assertThat(again.next()).isEqualTo(LeasePurpose.REPLAY);
            assertThat(world.end(complete(again))).isDone();
            assertThat(world.view(lease)).endedAs(Outcome.SUCCESS).hasBegun(2);
        }
    }

    @Test
    void a_replay_begins_with_nothing_of_the_end_left() {
        var lease = world.begun(Policy.DEFAULT.maxReclaims(1));
        world.store().sessions().close(lease.session());
        var reclaimed = world.worker(lease.lane()).claimOne();
        world.end(retry(reclaimed, Duration.ZERO)).orThrow();
        world.end(fail(world.worker(lease.lane()).claimOne())).orThrow();
        assertThat(world.view(lease)).hasRetried(1).hasLapsed(1);

        world.replay(idOf(lease));

        assertThat(world.view(lease)).hasRetried(0).hasLapsed(0).hasBegun(2).isUnowned();
        assertThat(world.view(lease).failure()).isEmpty();
        assertThat(world.view(lease).replays()).isEqualTo(1);
        assertThat(world.result(idOf(lease))).isConflict(Conflict.Code.NOT_FINISHED);
        assertThat(world.worker(lease.lane()).claimOne().retriesUsed()).isZero();
    }

    @Test
    void the_result_of_the_first_end_is_gone_when_the_second_is_a_failure() {
        var lease = world.begun();
        world.end(complete(lease)).orThrow();
        world.replay(idOf(lease));

        world.end(fail(world.worker(lease.lane()).claimOne())).orThrow();

        var result = world.result(idOf(lease)).orThrow();
        assertThat(result.result()).isEmpty();
        assertThat(result.failure()).map(Failure::message).contains(Endings.FAILURE.message());
    }

    @Test
    void the_worker_of_the_first_end_has_no_say_in_the_second() {
        var lease = world.begun();
        world.end(complete(lease)).orThrow();
        world.replay(idOf(lease));
        var again = world.worker(lease.lane()).claimOne();

        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(world.end(cancel(lease))).isLeaseLost();

        assertThat(world.end(complete(again))).isDone();
    }

    @Test
    void what_has_not_ended_is_not_replayed() {
        var lease = world.begun();
        var ready = world.submit();

        for (var work : List.of(idOf(lease), ready)) {
            assertThat(world.act(new OperatorCommand.Replay(work)))
                    .isConflict(Conflict.Code.NOT_FINISHED);
        }
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void replays_are_counted_and_run_out() {
        var work = world.submit(Policy.DEFAULT.maxReplays(2));
        for (int replay = 1; replay <= 2; replay++) {
            world.cancel(work);
            world.replay(work);
            assertThat(world.view(work).replays()).isEqualTo(replay);
        }
        world.cancel(work);

        assertThat(world.act(new OperatorCommand.Replay(work)))
                .isConflict(Conflict.Code.REPLAYS_EXHAUSTED);
        assertThat(world.view(work)).endedAs(Outcome.CANCELLED);
    }

    @Test
    @BatchAnswers("W36")
    void a_deadline_in_words_begins_anew_with_a_replay() {
        var work = world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        world.pass(Duration.ofSeconds(30));
        world.cancel(work);
        world.replay(work);
        assertThat(world.view(work).deadline()).contains(world.in(MINUTE));

        world.pass(MINUTE.minusMillis(1));
        assertThat(world.view(work)).reads(new Ready(LeasePurpose.REPLAY));

        world.pass(Duration.ofMillis(1));
        assertThat(world.view(work)).endedAs(Outcome.EXPIRED);
    }

    @Test
    void a_deadline_that_has_passed_does_not_end_a_replay() {
        var work = world.submit(Policy.DEFAULT.deadline(Due.at(world.in(MINUTE))));
        world.pass(MINUTE);
        assertThat(world.view(work)).endedAs(Outcome.EXPIRED);

        world.replay(work);
        world.pass(MINUTE);

        assertThat(world.view(work).deadline()).isEmpty();
        assertThat(world.end(complete(world.worker().claimOne()))).isDone();
    }

    @Test
    void a_replay_keeps_the_priority_that_it_had_last() {
        var work = world.submit(Policy.DEFAULT.priority(3));
        world.act(new OperatorCommand.Reprioritise(work, 7)).orThrow();
        world.cancel(work);

        world.replay(work);

        assertThat(world.view(work).priority()).isEqualTo(7);
        var fresh = world.submit(Policy.DEFAULT.priority(5));
        assertThat(world.worker().takeOneByOne(2)).containsExactly(work, fresh);
    }

    @Test
    void retention_begins_anew_at_the_next_end() {
        var work = world.submit(work(Policy.DEFAULT.retention(Duration.ofHours(2))));
        world.cancel(work);
        world.pass(Duration.ofHours(1));
        world.replay(work);
        world.pass(Duration.ofHours(1));
        world.cancel(work);

        world.pass(Duration.ofHours(2).minusMillis(1));
        assertThat(world.describe(work)).isDone();

        world.pass(Duration.ofMillis(1));
        assertThat(world.describe(work)).isNotFound("execution");
    }

    @Test
    void a_replay_is_told_with_who_asked_for_it() {
        var work = world.submit();
        world.cancel(work);

        world.replay(work);

        assertThat(world.transitions(work))
                .containsExactly(Transition.SUBMIT, Transition.CANCEL, Transition.REPLAY);
        assertThat(world.lastStep(work).by()).contains(Scenario.OLGA);
        assertThat(world.lastStep(work).owner()).isEmpty();
    }
}
