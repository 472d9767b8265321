package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.decision.Given.DELAYED;
import static io.flowfabric.core.decision.Given.RUNNING;
import static io.flowfabric.core.decision.Given.ended;
import static io.flowfabric.core.decision.Given.facts;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;

class TimerDecisionsTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @Test
    void a_lapsed_lease_returns_the_work_and_is_counted() {
        var change = TimerDecisions.lapse(facts(RUNNING), NOON);

        assertThat(change.after()).isEqualTo(new Ready(LeasePurpose.RECLAIM));
        assertThat(change.transition()).isEqualTo(Transition.LAPSE);
        assertThat(change)
                .extracting(Change::retries, Change::reclaims, Change::replays)
                .containsExactly(1, 4, 4);
        assertThat(change.by()).isEmpty();
    }

    @Test
    void a_grant_that_nobody_redeemed_returns_the_work_and_counts_nothing() {
        var granted = facts(new Granted(LeasePurpose.RETRY, SESSION, NOON));

        for (Change change :
                List.of(TimerDecisions.forfeit(granted), TimerDecisions.lapse(granted, NOON))) {
            assertThat(change.transition()).isEqualTo(Transition.FORFEIT);
            assertThat(change.after()).isEqualTo(new Ready(LeasePurpose.RETRY));
            assertThat(change.reclaims()).isEqualTo(3);
        }
    }

    @Test
    void a_lease_that_lapsed_too_often_ends_in_failure() {
        var change = TimerDecisions.lapse(facts(RUNNING, Policy.DEFAULT.maxReclaims(3)), NOON);

        assertThat(change.after()).isEqualTo(ended(Outcome.FAILED));
        assertThat(change.transition()).isEqualTo(Transition.FAIL);
        assertThat(change.reclaims()).isEqualTo(3);
        assertThat(change.failure())
                .contains(Failure.of(Failure.INFRA_CRASH, "max_reclaims_exceeded"));
        assertThat(change.by()).contains(Attribution.engine("max_reclaims_exceeded"));
    }

    @Test
    void a_stall_is_a_lapse_that_says_why() {
        var policy = Policy.DEFAULT.stallTimeout(MINUTE);
        var often = policy.maxReclaims(3);

        assertThat(TimerDecisions.stall(facts(RUNNING, policy), NOON).transition())
                .isEqualTo(Transition.LAPSE);
        assertThat(TimerDecisions.stall(facts(RUNNING, policy), NOON).by())
                .contains(Attribution.engine("no progress for PT1M"));
        assertThat(TimerDecisions.stall(facts(RUNNING, often), NOON).by())
                .contains(Attribution.engine("max_reclaims_exceeded"));
    }

    @Test
    void an_attempt_that_took_too_long_fails_under_the_retry_policy() {
        var policy = Policy.DEFAULT.attemptTimeout(MINUTE);
        var patient = policy.retry(Retry.retries(2).jitter(0).backoff(Backoff.fixed(MINUTE)));
        var atOnce = policy.retry(Retry.retries(2).backoff(Backoff.fixed(Duration.ZERO)));
        var exhausted = policy.retry(Retry.retries(1));

        var change = TimerDecisions.timeOut(facts(RUNNING, patient), NOON);
        assertThat(change.after())
                .isEqualTo(new Delayed(LeasePurpose.RETRY, NOON.plus(MINUTE), DelayedBy.BACKOFF));
        assertThat(change.transition()).isEqualTo(Transition.RETRY);
        assertThat(change)
                .extracting(Change::retries, Change::reclaims, Change::replays)
                .containsExactly(2, 3, 4);
        assertThat(change.failure())
                .contains(Failure.of(Failure.TIMEOUT, "the attempt took longer than PT1M"));
        assertThat(change.by()).contains(Attribution.engine("attempt timeout"));
        assertThat(TimerDecisions.timeOut(facts(RUNNING, atOnce), NOON).after())
                .isEqualTo(new Ready(LeasePurpose.RETRY));
        assertThat(TimerDecisions.timeOut(facts(RUNNING, exhausted), NOON).after())
                .isEqualTo(ended(Outcome.FAILED));
    }

    @Test
    void a_deadline_ends_everything() {
        var change = TimerDecisions.expire(facts(DELAYED), NOON);

        assertThat(change.after()).isEqualTo(ended(Outcome.EXPIRED));
        assertThat(change.transition()).isEqualTo(Transition.EXPIRE);
        assertThat(change.by()).contains(Attribution.engine("deadline"));
    }

    @Test
    void a_delay_that_is_over_makes_it_ready_for_what_it_waited_for() {
        var change = TimerDecisions.wake(facts(DELAYED));

        assertThat(change.after()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(change.transition()).isEqualTo(Transition.WAKE);
        assertThat(change.by()).isEmpty();
    }
}
