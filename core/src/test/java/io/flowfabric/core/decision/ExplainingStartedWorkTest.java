package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.OWNER;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.ViewExample;
import io.flowfabric.core.state.Outcome;

import org.junit.jupiter.api.Test;

import java.time.Instant;

class ExplainingStartedWorkTest {
    private static final Instant EARLIER = NOON.minusSeconds(60);
    private static final Instant LATER = NOON.plusSeconds(60);
    private static final Attribution OLGA = new Attribution("olga", "wrong address");
    private static final Failure FAILURE = Failure.of("transient", "no paper");
    private static final Failure CALLED_OFF = Failure.of(Failure.CANCELLED, "budget team");

    private static Fact.Holder holder(Instant aliveUntil) {
        return new Fact.Holder(OWNER, EARLIER, EARLIER, aliveUntil);
    }

    @Test
    void running_work_says_who_runs_it_and_how_far_it_is() {
        var done = new ExecutionView.Done(40, "page 4", EARLIER);
        var running = ViewExample.in(Given.RUNNING).progress(done).failure(FAILURE).deadline(LATER);

        var explanation = ExplanationExample.of(running).holder(holder(LATER)).explain();

        assertThat(explanation.words())
                .isEqualTo(
                        "running on worker mailer, instance mailer-1, since %s, last heard of at"
                                + " %s; 40 %% done at %s: page 4",
                        EARLIER, EARLIER, EARLIER);
        assertThat(explanation.facts())
                .containsExactly(
                        holder(LATER),
                        new Fact.Reported(done),
                        new Fact.LastFailure(FAILURE, 1, 3),
                        new Fact.Deadline(LATER));
        assertThat(explanation.nextTry()).isEmpty();
    }

    @Test
    void work_of_a_dead_worker_says_that_it_comes_back() {
        var running = ViewExample.in(Given.RUNNING);

        assertThat(ExplanationExample.of(running).holder(holder(NOON)).explain().words())
                .isEqualTo(
                        "its worker mailer, instance mailer-1, died at %s; it returns to the queue"
                                + " as soon as the engine looks",
                        NOON);
        assertThat(
                        ExplanationExample.of(running)
                                .holder(holder(NOON.plusMillis(1)))
                                .explain()
                                .words())
                .startsWith("running on worker mailer");
    }

    @Test
    void failed_work_says_how_it_failed() {
        var failed = ViewExample.in(Given.ended(Outcome.FAILED)).failure(FAILURE);

        var explanation = ExplanationExample.of(failed).explain();

        assertThat(explanation.words()).isEqualTo("failed at %s; transient: no paper", NOON);
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.End(Outcome.FAILED, NOON), new Fact.LastFailure(FAILURE, 1, 3));
    }

    @Test
    void what_has_ended_has_no_deadline_any_more() {
        var ended = ViewExample.in(Given.ended(Outcome.SUCCESS)).deadline(LATER);

        assertThat(ExplanationExample.of(ended).explain().facts(Fact.Deadline.class)).isEmpty();
    }

    @Test
    void what_succeeded_after_a_failure_does_not_give_that_as_the_reason() {
        var succeeded = ViewExample.in(Given.ended(Outcome.SUCCESS)).failure(FAILURE);

        assertThat(ExplanationExample.of(succeeded).explain().words())
                .isEqualTo("completed at %s", NOON);
    }

    @Test
    void cancelled_work_says_which_operator_cancelled_it() {
        var cancelled =
                ViewExample.in(Given.ended(Outcome.CANCELLED)).failure(CALLED_OFF).endedBy(OLGA);

        assertThat(ExplanationExample.of(cancelled).explain().words())
                .isEqualTo("cancelled at %s, by olga: wrong address", NOON);
    }

    @Test
    void work_that_no_operator_cancelled_says_what_called_it_off() {
        var cancelled =
                ViewExample.in(Given.ended(Outcome.CANCELLED))
                        .failure(CALLED_OFF)
                        .endedBy(Attribution.engine("budget team"));

        assertThat(ExplanationExample.of(cancelled).explain().words())
                .isEqualTo("cancelled at %s; cancelled: budget team", NOON);
    }

    @Test
    void the_failure_of_an_attempt_before_a_cancellation_is_no_reason_for_it() {
        var cancelled = ViewExample.in(Given.ended(Outcome.CANCELLED)).failure(FAILURE);

        assertThat(ExplanationExample.of(cancelled).explain().words())
                .isEqualTo("cancelled at %s", NOON);
    }
}
