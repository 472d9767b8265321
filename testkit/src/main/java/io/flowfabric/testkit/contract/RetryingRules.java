package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Failure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Supplier;

/** Rule 7: a failed attempt is tried again as its policy says, and a delay is no failure. */
abstract class RetryingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(1);

    RetryingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers("P4")
    void a_retry_waits_for_its_backoff_and_is_then_claimed_as_a_new_attempt() {
        var lease = world.begun();
        world.end(retry(lease, MINUTE)).orThrow();
        assertThat(world.view(lease))
                .reads(new Delayed(LeasePurpose.RETRY, world.in(MINUTE), DelayedBy.BACKOFF))
                .hasRetried(1)
                .hasBegun(1)
                .isUnowned();

        world.pass(MINUTE);

        assertThat(world.view(lease)).reads(new Ready(LeasePurpose.RETRY));
        var next = world.worker(lease.lane()).claimOne();
        assertThat(next.fence()).isEqualTo(world.fence(idOf(lease), 1, 2));
        assertThat(next.next()).isEqualTo(LeasePurpose.RETRY);
        assertThat(next.retriesUsed()).isEqualTo(1);
        assertThat(world.end(complete(next))).isDone();
    }

    @Test
    @BatchAnswers("P4")
    void a_retry_is_not_woken_before_its_time() {
        var lease = world.begun();
        world.end(retry(lease, MINUTE)).orThrow();

        world.pass(MINUTE.minus(MOMENT));

        assertThat(world.view(lease).state().situation()).isEqualTo(Situation.BACKING_OFF);
        assertThat(world.worker(lease.lane()).claim(1)).isEmpty();
    }

    @Test
    void a_retry_without_backoff_is_ready_at_once() {
        var lease = world.begun();

        world.end(retry(lease, Duration.ZERO)).orThrow();

        assertThat(world.view(lease)).reads(new Ready(LeasePurpose.RETRY)).hasRetried(1);
        assertThat(world.worker(lease.lane()).claimOne().fence().attempt()).isEqualTo(1);
    }

    @Test
    @BatchAnswers("P4")
    void work_is_tried_as_often_as_its_policy_allows_and_then_fails() {
        var policy = Policy.DEFAULT.retry(Retry.retries(3).backoff(Backoff.fixed(MINUTE)));
        var work = world.submit(policy);
        var worker = world.worker();

        for (int attempt = 0; attempt <= 3; attempt++) {
            assertThat(world.view(work)).hasRetried(attempt);
            var lease = worker.claimOne();
            assertThat(lease.fence()).isEqualTo(world.fence(work, attempt, attempt + 1));
            world.end(fail(lease, Endings.FAILURE)).orThrow();
            world.pass(MINUTE);
        }

        assertThat(world.view(work)).endedAs(Outcome.FAILED).hasRetried(3).hasBegun(4);
        assertThat(world.failureOf(work)).isEqualTo(Endings.FAILURE);
        assertThat(worker.claim(1)).isEmpty();
    }

    @Test
    @BatchAnswers("W22")
    void a_backoff_of_a_fraction_is_kept_to_the_millisecond() {
        var growing = Backoff.exponential(Duration.ofMillis(5), MINUTE, 1.5);
        var policy = Policy.DEFAULT.retry(Retry.retries(9).backoff(growing).jitter(0));
        var lease = world.begun(policy);
        world.end(fail(lease, Endings.FAILURE)).orThrow();
        world.pass(Duration.ofMillis(5));
        var second = world.worker(lease.lane()).claimOne();

        world.end(fail(second, Endings.FAILURE)).orThrow();

        assertThat(world.view(lease))
                .reads(
                        new Delayed(
                                LeasePurpose.RETRY,
                                world.in(Duration.ofMillis(7)),
                                DelayedBy.BACKOFF));
        world.pass(Duration.ofMillis(7));
        assertThat(world.worker(lease.lane()).claim(1)).hasSize(1);
    }

    @Test
    void a_failure_that_is_not_worth_it_is_not_tried_again() {
        var policy = Policy.DEFAULT.retry(Retry.retries(3).only("weather"));
        var weather = world.begun(policy);
        var other = world.begun(policy);

        world.end(fail(weather, Failure.of("weather", "it rains"))).orThrow();
        world.end(fail(other, Failure.of("money", "it is gone"))).orThrow();

        assertThat(world.view(weather).state().situation()).isEqualTo(Situation.BACKING_OFF);
        assertThat(world.view(other)).endedAs(Outcome.FAILED);
    }

    @Test
    void a_retry_is_told_with_its_failure_and_its_time() {
        var lease = world.begun();

        world.end(retry(lease, MINUTE)).orThrow();

        var step = world.lastStep(idOf(lease));
        assertThat(step.transition()).isEqualTo(Transition.RETRY);
        assertThat(step.failure()).contains(Endings.FAILURE);
        assertThat(step.until()).contains(world.in(MINUTE));
        assertThat(step.leaseChange()).contains(Event.LeaseChange.RELEASED);
        assertThat(world.failureOf(idOf(lease))).isEqualTo(Endings.FAILURE);
    }

    @Test
    void the_last_failure_is_shown_while_the_next_attempt_runs() {
        var lease = world.begun();
        world.end(retry(lease, Duration.ZERO)).orThrow();

        var next = world.worker(lease.lane()).claimOne();
        assertThat(world.failureOf(idOf(lease))).isEqualTo(Endings.FAILURE);

        world.end(release(next)).orThrow();
        assertThat(world.failureOf(idOf(lease))).isEqualTo(Endings.FAILURE);
    }

    @Test
    @BatchAnswers({"P4", "P5"})
    void a_delay_goes_on_with_the_same_attempt_and_costs_nothing() {
        var lease = world.begun();
        world.end(delay(lease, MINUTE)).orThrow();
        assertThat(world.view(lease))
                .reads(new Delayed(LeasePurpose.CONTINUE, world.in(MINUTE), DelayedBy.REQUEST))
                .isUnowned();
        world.pass(MINUTE);

        var next = world.worker(lease.lane()).claimOne();

        assertThat(next.fence()).isEqualTo(world.fence(idOf(lease), 0, 2));
        assertThat(next.next()).isEqualTo(LeasePurpose.CONTINUE);
        assertThat(world.view(lease)).hasRetried(0).hasLapsed(0).hasBegun(1);
    }

    @Test
    @BatchAnswers("W48")
    void a_delay_until_what_has_passed_is_none() {
        for (Due due :
                new Due[] {Due.NOW, Due.at(world.now()), Due.at(world.now().minus(MINUTE))}) {
            var lease = world.begun();

            var ended = world.end(delay(lease, due)).orThrow();

            assertThat(ended.until()).contains(due.from(world.now()));
            assertThat(world.view(lease)).reads(new Ready(LeasePurpose.CONTINUE));
            assertThat(world.worker(lease.lane()).take(1)).containsExactly(idOf(lease));
        }
    }

    @Test
    void a_release_goes_on_with_the_same_attempt_at_once() {
        var lease = world.begun();

        world.end(release(lease)).orThrow();

        assertThat(world.view(lease))
                .reads(new Ready(LeasePurpose.CONTINUE))
                .hasLapsed(0)
                .isUnowned();
        assertThat(world.worker(lease.lane()).claimOne().fence())
                .isEqualTo(world.fence(idOf(lease), 0, 2));
    }

    @Test
    @BatchAnswers("P4")
    void waking_is_told_once_and_by_nobody() {
        var lease = world.begun();
        world.end(retry(lease, MINUTE)).orThrow();

        world.pass(MINUTE);
        world.tick();

        assertThat(world.transitions(idOf(lease)))
                .containsExactly(
                        Transition.SUBMIT, Transition.CLAIM, Transition.RETRY, Transition.WAKE);
        assertThat(world.lastStep(idOf(lease)).owner()).isEmpty();
        assertThat(world.lastStep(idOf(lease)).by()).isEmpty();
    }

    @Test
    void a_new_attempt_begins_without_the_progress_of_the_old_one() {
        var lease = world.begun();
        world.report(lease, 80).orThrow();
        world.end(delay(lease, Due.NOW)).orThrow();
        var same = world.worker(lease.lane()).claimOne();
        assertThat(world.view(lease).progress().orElseThrow().percent()).isEqualTo(80);

        world.end(retry(same, Duration.ZERO)).orThrow();
        world.worker(lease.lane()).claimOne();

        assertThat(world.view(lease).progress()).isEmpty();
    }

    @Test
    void the_loss_of_a_worker_costs_no_retry() {
        var lease = world.begun();
        world.store().sessions().close(lease.session());
        var next = world.worker(lease.lane()).claimOne();

        assertThat(next.retriesUsed()).isZero();
        assertThat(world.view(lease)).hasRetried(0);
    }

    @Test
    void everything_that_was_asked_for_comes_with_the_lease() {
        var policy =
                new Policy(
                        7,
                        Due.in(MOMENT),
                        Optional.of(Due.in(Duration.ofDays(2))),
                        Retry.retries(5)
                                .backoff(Backoff.fixed(MINUTE))
                                .jitter(0.25)
                                .only("weather"),
                        Optional.of(Duration.ofMinutes(11)),
                        Optional.of(Duration.ofMinutes(12)),
                        Capabilities.NONE,
                        Collections.emptySortedSet(),
                        Collections.emptySortedSet(),
                        13,
                        14,
                        Optional.of(Duration.ofDays(15)),
                        Optional.of("ada"));
        var submission = Given.work(policy).tag("shop.order", "7");
        var submitted = world.now();
        world.submit(submission);
        world.pass(MOMENT);
        var worker = world.worker();

        assertThat(worker.claimOne())
                .isEqualTo(
                        new Lease(
                                world.fence(submission.id(), 0, 1),
                                worker.session().id(),
                                LeasePurpose.FIRST,
                                submission.lane(),
                                submission.kind(),
                                submission.input(),
                                submission.tags(),
                                policy,
                                0,
                                world.now(),
                                Optional.of(submitted.plus(Duration.ofDays(2)))));
    }
}
