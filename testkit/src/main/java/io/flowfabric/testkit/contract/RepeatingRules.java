package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Rule 3: an ending whose answer was lost can be repeated, and changes nothing the second time. */
abstract class RepeatingRules extends Rules {
    RepeatingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P23", "W7"})
    void the_same_ending_again_gives_the_first_answer_again() {
        for (var kind : Endings.EVERY_KIND) {
            var ending = kind.apply(world.begun().fence());
            var first = world.end(ending).orThrow();
            var before = world.everything();

            world.advance(Duration.ofSeconds(10));

            assertThat(world.end(ending)).as("%s", ending).isDone(first);
            assertThat(world.end(ending)).as("%s", ending).isDone(first);
            assertThat(world.everything()).isEqualTo(before);
        }
    }

    @Test
    void each_ending_answers_with_what_became_of_the_work() {
        var soon = world.in(Duration.ofMinutes(1));

        assertThat(Endings.EVERY_KIND)
                .extracting(kind -> world.end(kind.apply(world.begun().fence())).orThrow())
                .containsExactly(
                        new Ended(Transition.COMPLETE, Optional.empty()),
                        new Ended(Transition.FAIL, Optional.empty()),
                        new Ended(Transition.RETRY, Optional.of(soon)),
                        new Ended(Transition.CANCEL, Optional.empty()),
                        new Ended(Transition.DELAY, Optional.of(soon)),
                        new Ended(Transition.SUSPEND, Optional.empty()),
                        new Ended(Transition.RELEASE, Optional.empty()));
    }

    @Test
    void a_retry_at_once_answers_with_the_moment() {
        var ended = world.end(retry(world.begun(), Duration.ZERO));

        assertThat(ended).isDone(new Ended(Transition.RETRY, Optional.of(world.now())));
    }

    @Test
    @BatchAnswers("P23")
    void another_ending_of_the_same_lease_is_a_contradiction() {
        for (var kind : Endings.EVERY_KIND) {
            var fence = world.begun().fence();
            var ending = kind.apply(fence);
            world.end(ending).orThrow();
            var before = world.everything();

            for (var other : Endings.everyEnding(fence)) {
                if (!other.equals(ending)) {
                    assertThat(world.end(other))
                            .as("%s after %s", other, ending)
                            .isConflict(Conflict.Code.ENDED_DIFFERENTLY);
                }
            }
            assertThat(world.everything()).isEqualTo(before);
        }
    }

    @Test
    @BatchAnswers({"P23", "W34"})
    void a_repeat_comes_too_late_after_the_next_claim() {
        for (var kind : Endings.EVERY_KIND) {
            var lease = world.begun();
            var ending = kind.apply(lease.fence());
            world.end(ending).orThrow();
            if (world.view(lease).state().terminal()) {
                world.replay(idOf(lease));
            }
            if (ending instanceof Ending.Suspend) {
                world.resume(idOf(lease));
            }
            world.pass(Duration.ofMinutes(1));
            var next = world.worker(lease.lane()).claimOne();

            assertThat(world.end(ending)).as("%s", ending).isLeaseLost();
            assertThat(world.end(complete(next))).isDone();
        }
    }

    @Test
    @BatchAnswers("W34")
    void a_repeat_is_recognised_by_its_fence_and_not_by_its_words() {
        var first = world.begun();
        world.end(release(first)).orThrow();
        var second = world.worker(first.lane()).claimOne();
        world.end(release(second)).orThrow();

        assertThat(world.end(release(first))).isLeaseLost();
        assertThat(world.end(release(second))).isDone();
    }

    @Test
    void a_repeat_is_recognised_after_the_session_has_died() {
        world.submit();
        var frail = world.frailWorker();
        var lease = frail.claimOne();
        var first = world.end(complete(lease)).orThrow();

        world.bury(frail);

        assertThat(world.end(complete(lease))).isDone(first);
    }

    @Test
    void a_repeat_is_recognised_after_the_wait_that_it_asked_for() {
        var lease = world.begun();
        var ending = delay(lease, Duration.ofMinutes(1));
        var first = world.end(ending).orThrow();

        world.pass(Duration.ofMinutes(2));

        assertThat(world.end(ending)).isDone(first);
        assertThat(world.worker(lease.lane()).take(1)).containsExactly(idOf(lease));
    }

    @Test
    void a_repeat_is_recognised_although_an_operator_came_in_between() {
        var lease = world.begun();
        var first = world.end(release(lease)).orThrow();
        world.cancel(idOf(lease));

        assertThat(world.end(release(lease))).isDone(first);
        assertThat(world.end(complete(lease))).isConflict(Conflict.Code.ENDED_DIFFERENTLY);
        assertThat(world.view(lease)).endedAs(Outcome.CANCELLED);
    }

    @Test
    void what_others_ended_is_lost_even_to_a_worker_that_says_the_same() {
        var completed = world.begun();
        world.act(new OperatorCommand.Complete(idOf(completed), Endings.RESULT)).orThrow();
        var failed = world.begun();
        world.act(new OperatorCommand.Fail(idOf(failed), Endings.FAILURE)).orThrow();
        var timed =
                world.begun(
                        Policy.DEFAULT.attemptTimeout(Duration.ofMinutes(1)).retry(Retry.NEVER));
        world.pass(Duration.ofMinutes(1));

        assertThat(world.end(complete(completed))).isLeaseLost();
        assertThat(world.end(fail(failed))).isLeaseLost();
        assertThat(world.end(fail(timed, world.failureOf(idOf(timed))))).isLeaseLost();
    }

    @Test
    void the_same_ending_twice_in_one_call_is_a_repeat() {
        var lease = world.begun();

        var answers =
                world.store()
                        .leases()
                        .end(List.of(complete(lease), complete(lease), release(lease)));

        assertThat(answers.get(0)).isDone();
        assertThat(answers.get(1)).isDone(answers.get(0).orThrow());
        assertThat(answers.get(2)).isConflict(Conflict.Code.ENDED_DIFFERENTLY);
        assertThat(world.transitions(idOf(lease)))
                .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
    }
}
