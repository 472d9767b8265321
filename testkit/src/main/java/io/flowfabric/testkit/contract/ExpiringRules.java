package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Rule 7: an attempt that takes too long fails as a timeout, and what misses its deadline expires.
 */
abstract class ExpiringRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Policy TIMED = Policy.DEFAULT.attemptTimeout(MINUTE);
    private static final Failure TOO_LONG =
            Failure.of(Failure.TIMEOUT, "the attempt took longer than PT1M");

    ExpiringRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"W29", "P26"})
    void an_attempt_that_takes_too_long_is_tried_again_although_its_worker_lives() {
        var work =
                world.submit(
                        TIMED.retry(Retry.retries(1).backoff(Backoff.fixed(MINUTE)).jitter(0)));
        var worker = world.worker();
        var lease = worker.claimOne();

        world.pass(MINUTE.minus(MOMENT));
        worker.beat(lease.fence()).orThrow();
        assertThat(world.report(lease, 99)).isDone();
        world.pass(MOMENT);

        assertThat(world.view(work))
                .reads(new Delayed(LeasePurpose.RETRY, world.in(MINUTE), DelayedBy.BACKOFF))
                .hasRetried(1)
                .hasLapsed(0)
                .isUnowned();
        assertThat(world.failureOf(work)).isEqualTo(TOO_LONG);
        assertThat(world.end(complete(lease))).isLeaseLost();
    }

    @Test
    @BatchAnswers({"W29", "P4"})
    void a_retry_after_a_timeout_is_woken_and_finished() {
        var lease =
                world.begun(TIMED.retry(Retry.retries(1).backoff(Backoff.fixed(MINUTE)).jitter(0)));
        world.pass(MINUTE);

        world.pass(MINUTE);

        var next = world.worker(lease.lane()).claimOne();
        assertThat(next.retriesUsed()).isEqualTo(1);
        assertThat(world.end(complete(next))).isDone();
    }

    @Test
    @BatchAnswers("W29")
    void an_attempt_that_takes_too_long_fails_when_there_are_no_retries_left() {
        var lease = world.begun(TIMED.retry(Retry.NEVER));

        world.pass(MINUTE);

        assertThat(world.view(lease)).endedAs(Outcome.FAILED);
        assertThat(world.result(idOf(lease)).orThrow().failure()).contains(TOO_LONG);
    }

    @Test
    void a_timeout_is_tried_again_only_if_the_policy_counts_it_as_worth_it() {
        var worthIt = world.begun(TIMED.retry(Retry.retries(1).only(Failure.TIMEOUT)));
        var notWorthIt = world.begun(TIMED.retry(Retry.retries(1).only(Failure.TRANSIENT)));

        world.pass(MINUTE);

        assertThat(world.view(worthIt)).hasRetried(1);
        assertThat(world.view(worthIt).state().terminal()).isFalse();
        assertThat(world.view(notWorthIt)).endedAs(Outcome.FAILED).hasRetried(0);
    }

    @Test
    void what_times_out_together_does_not_return_together() {
        var leases = Stream.generate(() -> world.begun(TIMED)).limit(20).toList();

        world.pass(MINUTE);

        var returns = leases.stream().map(this::returnOf).toList();
        assertThat(returns).isEqualTo(leases.stream().map(this::decidedReturnOf).toList());
        assertThat(returns.stream().distinct().count()).isGreaterThan(10);
    }

    @Test
    void a_timeout_is_told_with_whose_lease_it_ended_and_why() {
        var lease = world.begun(TIMED);

        world.pass(MINUTE);

        var step = world.lastStep(idOf(lease));
        assertThat(step.transition()).isEqualTo(Transition.RETRY);
        assertThat(step.by()).contains(Attribution.engine("attempt timeout"));
        assertThat(step.owner().orElseThrow().session()).isEqualTo(lease.session());
        assertThat(step.failure()).contains(TOO_LONG);
        assertThat(step.leaseChange()).contains(Event.LeaseChange.REVOKED);
    }

    @Test
    void the_time_of_an_attempt_is_the_time_of_one_lease() {
        var lease = world.begun(TIMED.retry(Retry.NEVER));
        world.pass(Duration.ofSeconds(40));
        world.end(release(lease)).orThrow();
        world.pass(Duration.ofSeconds(40));
        var next = world.worker(lease.lane()).claimOne();

        world.pass(MINUTE.minus(MOMENT));
        assertThat(world.report(next, 1)).isDone();

        world.pass(MOMENT);
        assertThat(world.view(lease)).endedAs(Outcome.FAILED);
    }

    @Test
    @BatchAnswers({"P5", "W26"})
    void a_deadline_ends_the_work_whatever_it_is_doing() {
        var policy = Policy.DEFAULT.deadline(Due.in(MINUTE));
        var ready = world.submit(policy);
        var delayed = world.submit(policy.start(Due.in(MINUTE.multipliedBy(2))));
        var running = world.begun(policy);
        var backingOff = world.begun(policy);
        world.end(retry(backingOff, MINUTE.multipliedBy(2))).orThrow();
        var letGo = world.begun(policy);
        world.end(delay(letGo, MINUTE.multipliedBy(2))).orThrow();
        var held = world.submit(policy);
        world.pause(held);
        var all = List.of(ready, delayed, idOf(running), idOf(backingOff), idOf(letGo), held);

        world.pass(MINUTE.minus(MOMENT));
        assertThat(all).noneMatch(work -> world.view(work).state().terminal());

        world.pass(MOMENT);
        assertThat(all).allSatisfy(work -> assertThat(world.view(work)).endedAs(Outcome.EXPIRED));
        assertThat(world.end(complete(running))).isLeaseLost();
    }

    @Test
    void a_deadline_ends_work_in_a_lane_that_is_closed() {
        var work = world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        world.configure(Lane.DEFAULT, LaneSettings.State.PAUSED);

        world.pass(MINUTE);

        assertThat(world.view(work)).endedAs(Outcome.EXPIRED);
    }

    @Test
    @BatchAnswers("P5")
    void a_deadline_outlasts_delays_and_retries() {
        var deadline = world.in(MINUTE);
        var lease = world.begun(Policy.DEFAULT.deadline(Due.at(deadline)));
        world.end(delay(lease, Duration.ofSeconds(10))).orThrow();
        world.pass(Duration.ofSeconds(10));
        var second = world.worker(lease.lane()).claimOne();
        assertThat(second.deadline()).contains(deadline);
        world.end(retry(second, Duration.ofSeconds(10))).orThrow();
        world.pass(Duration.ofSeconds(10));
        world.worker(lease.lane()).claimOne();
        assertThat(world.view(lease).deadline()).contains(deadline);

        world.pass(Duration.ofSeconds(40));

        assertThat(world.view(lease)).endedAs(Outcome.EXPIRED);
    }

    @Test
    @BatchAnswers("W36")
    void what_has_missed_its_deadline_is_not_handed_out_any_more() {
        var work = world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        var late = world.submit();
        var worker = world.worker();

        world.advance(MINUTE);

        assertThat(world.claimByHand(work, worker)).isConflict(Conflict.Code.NOT_CLAIMABLE);
        assertThat(worker.take(2)).containsExactly(late);
    }

    @Test
    @BatchAnswers("W36")
    void what_was_finished_in_time_does_not_expire() {
        var lease = world.begun(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        world.pass(MINUTE.minus(MOMENT));

        world.end(complete(lease)).orThrow();
        world.pass(MINUTE);

        assertThat(world.view(lease)).endedAs(Outcome.SUCCESS);
    }

    @Test
    void an_expiry_is_told_with_whose_lease_it_ended_and_why() {
        var queued = world.submit(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        var running = world.begun(Policy.DEFAULT.deadline(Due.in(MINUTE)));

        world.pass(MINUTE);

        for (var work : List.of(queued, idOf(running))) {
            assertThat(world.lastStep(work).transition()).isEqualTo(Transition.EXPIRE);
            assertThat(world.lastStep(work).by()).contains(Attribution.engine("deadline"));
        }
        assertThat(world.lastStep(queued).owner()).isEmpty();
        assertThat(world.lastStep(idOf(running)).owner().orElseThrow().session())
                .isEqualTo(running.session());
    }

    @Test
    void a_deadline_goes_before_a_timeout_that_is_due_as_well() {
        var both = world.begun(TIMED.deadline(Due.in(MINUTE)));

        world.pass(MINUTE);

        assertThat(world.view(both)).endedAs(Outcome.EXPIRED).hasRetried(0);
        assertThat(world.transitions(idOf(both))).doesNotContain(Transition.RETRY);
    }

    @Test
    void a_timeout_goes_before_a_stall_that_is_due_as_well() {
        var both = world.begun(TIMED.stallTimeout(MINUTE).retry(immediately()));

        world.pass(MINUTE);

        assertThat(world.view(both))
                .reads(new Ready(LeasePurpose.RETRY))
                .hasRetried(1)
                .hasLapsed(0);
    }

    private static Retry immediately() {
        return Retry.retries(1).backoff(Backoff.fixed(Duration.ZERO));
    }

    private Instant returnOf(Lease lease) {
        return ((Delayed) world.view(lease).state()).until();
    }

    private Instant decidedReturnOf(Lease lease) {
        var verdict = lease.policy().retry().decide(idOf(lease), TOO_LONG, 0);
        return world.in(((RetryDecision.TryAgain) verdict).delay());
    }
}
