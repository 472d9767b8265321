package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.FAILURE;
import static io.flowfabric.core.Examples.FENCE;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.decision.Given.RUNNING;
import static io.flowfabric.core.decision.Given.ended;
import static io.flowfabric.core.decision.Given.facts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

class LeaseEndTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Instant IN_A_MINUTE = NOON.plus(MINUTE);

    private static Change end(Ending ending) {
        var change = LeaseEnd.of(ending).change(facts(RUNNING), NOON);
        assertThat(change.by()).isEmpty();
        assertThat(change.transition()).isEqualTo(LeaseEnd.of(ending).answer(NOON).transition());
        return change;
    }

    private static Ended answer(Ending ending) {
        return LeaseEnd.of(ending).answer(NOON);
    }

    @Test
    void completing_ends_it_with_its_result() {
        var complete = new Ending.Complete(FENCE, Payload.text("done"));

        assertThat(end(complete).after()).isEqualTo(ended(Outcome.SUCCESS));
        assertThat(end(complete).result()).contains(Payload.text("done"));
        assertThat(answer(complete)).isEqualTo(new Ended(Transition.COMPLETE, Optional.empty()));
    }

    @Test
    void giving_up_ends_it_with_its_failure() {
        var fail = new Ending.Fail(FENCE, FAILURE, RetryDecision.GIVE_UP);

        assertThat(end(fail).after()).isEqualTo(ended(Outcome.FAILED));
        assertThat(end(fail).failure()).contains(FAILURE);
        assertThat(end(fail).retries()).isEqualTo(1);
        assertThat(answer(fail)).isEqualTo(new Ended(Transition.FAIL, Optional.empty()));
    }

    @Test
    void trying_again_counts_a_retry_and_waits_for_it() {
        var fail = new Ending.Fail(FENCE, FAILURE, new RetryDecision.TryAgain(MINUTE));

        assertThat(end(fail).after())
                .isEqualTo(new Delayed(LeasePurpose.RETRY, IN_A_MINUTE, DelayedBy.BACKOFF));
        assertThat(end(fail).failure()).contains(FAILURE);
        assertThat(end(fail))
                .extracting(Change::retries, Change::reclaims, Change::replays)
                .containsExactly(2, 3, 4);
        assertThat(answer(fail)).isEqualTo(new Ended(Transition.RETRY, Optional.of(IN_A_MINUTE)));
    }

    @Test
    void trying_again_at_once_does_not_wait() {
        var fail = new Ending.Fail(FENCE, FAILURE, new RetryDecision.TryAgain(Duration.ZERO));

        assertThat(end(fail).after()).isEqualTo(new Ready(LeasePurpose.RETRY));
        assertThat(answer(fail)).isEqualTo(new Ended(Transition.RETRY, Optional.of(NOON)));
    }

    @Test
    void calling_it_off_keeps_the_reason() {
        var cancel = new Ending.Cancel(FENCE, "obsolete");

        assertThat(end(cancel).after()).isEqualTo(ended(Outcome.CANCELLED));
        assertThat(end(cancel).failure()).contains(Failure.of(Failure.CANCELLED, "obsolete"));
        assertThat(answer(cancel)).isEqualTo(new Ended(Transition.CANCEL, Optional.empty()));
    }

    @Test
    void delaying_keeps_the_attempt() {
        var later = new Ending.Delay(FENCE, Due.in(MINUTE));
        var past = new Ending.Delay(FENCE, Due.at(NOON));

        assertThat(end(later).after())
                .isEqualTo(new Delayed(LeasePurpose.CONTINUE, IN_A_MINUTE, DelayedBy.REQUEST));
        assertThat(answer(later)).isEqualTo(new Ended(Transition.DELAY, Optional.of(IN_A_MINUTE)));
        assertThat(end(past).after()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(answer(past)).isEqualTo(new Ended(Transition.DELAY, Optional.of(NOON)));
    }

    @Test
    void releasing_returns_it_unharmed() {
        var release = new Ending.Release(FENCE);

        assertThat(end(release).after()).isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(end(release).reclaims()).isEqualTo(3);
        assertThat(answer(release)).isEqualTo(new Ended(Transition.RELEASE, Optional.empty()));
    }

    @Test
    void what_it_writes_is_known_without_the_row_and_without_a_clock() {
        var end = LeaseEnd.of(new Ending.Delay(FENCE, Due.in(MINUTE)));

        assertThat(end.situation()).isEqualTo(Situation.DELAYED);
        assertThat(end.next()).contains(LeasePurpose.CONTINUE);
        assertThat(end.until()).contains(Due.in(MINUTE));
        assertThat(end.retries()).isZero();
        assertThat(LeaseEnd.of(new Ending.Release(FENCE)).situation()).isEqualTo(Situation.READY);
        assertThat(LeaseEnd.of(new Ending.Complete(FENCE, Payload.EMPTY)).situation())
                .isEqualTo(Situation.COMPLETED);
    }

    @Test
    void a_step_that_the_table_does_not_have_cannot_be_built() {
        assertThatThrownBy(
                        () ->
                                new LeaseEnd(
                                        Transition.RELEASE,
                                        Optional.of(Outcome.SUCCESS),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty()))
                .isInstanceOf(Invalid.class);
    }

    @Test
    void what_ends_the_execution_has_no_time_to_go_on() {
        assertThatThrownBy(
                        () ->
                                new LeaseEnd(
                                        Transition.FAIL,
                                        Optional.of(Outcome.FAILED),
                                        Optional.empty(),
                                        Optional.of(Due.in(MINUTE)),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty()))
                .isInstanceOf(Invalid.class);
    }
}
