package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Text;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.ViewExample;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What the contract suite cannot reach yet, and what it takes a store's luck to reach. */
class ExecutionExplainerTest {
    private static final Lane EMAILS = Lane.of("emails");
    private static final Instant LATER = NOON.plusSeconds(60);
    private static final Ready READY = new Ready(LeasePurpose.FIRST);

    @Test
    void what_a_budget_or_quota_refuses_is_told_as_it_was_refused() {
        var quota = new Blocked(BlockedBy.QUOTA, "quota customer=42: 5 of 5 running", READY);

        assertThat(explain(quota).words()).isEqualTo("quota customer=42: 5 of 5 running");
        assertThat(explain(quota).state()).isEqualTo(quota);
    }

    @Test
    void suspended_and_granted_work_says_what_it_waits_for() {
        var suspended = new Suspended(SuspendedFor.WAITING_FOR_SIGNAL, NOON, Optional.of(LATER));

        assertThat(explain(suspended).words())
                .isEqualTo("suspended since %s: waiting_for_signal, until %s", NOON, LATER);
        assertThat(explain(new Granted(LeasePurpose.FIRST, SESSION, LATER)).words())
                .isEqualTo("granted to session %s until %s", SESSION, LATER);
    }

    @Test
    void work_that_comes_back_says_when() {
        var delayed = new Delayed(LeasePurpose.CONTINUE, LATER, DelayedBy.RESUMPTION);

        assertThat(explain(delayed).words()).isEqualTo("resumes at %s", LATER);
        assertThat(explain(delayed).nextTry()).contains(LATER);
    }

    @Test
    void an_earlier_failure_is_a_fact_and_no_reason() {
        var delayed = new Delayed(LeasePurpose.CONTINUE, LATER, DelayedBy.REQUEST);

        var explanation = explain(delayed, Failure.of("transient", "no paper"));

        assertThat(explanation.words()).isEqualTo("delayed until %s, as its worker asked", LATER);
        assertThat(explanation.facts(Fact.LastFailure.class))
                .extracting(Fact::words)
                .containsExactly("retry 1 of 3, after transient: no paper");
    }

    @Test
    void a_worker_that_tries_more_often_than_the_policy_says_is_not_counted_against_it() {
        var failure = Failure.of("transient", "no paper");

        assertThat(new Fact.LastFailure(failure, 3, 3).words())
                .isEqualTo("retry 3 of 3, after transient: no paper");
        assertThat(new Fact.LastFailure(failure, 4, 3).words())
                .isEqualTo("retry 4, after transient: no paper");
        assertThat(new Fact.LastFailure(failure, 0, 3).words())
                .isEqualTo("last failure transient: no paper");
    }

    @Test
    void who_did_it_is_told_of_operators_only() {
        var engine =
                new Fact.Step(Transition.EXPIRE, NOON, Optional.of(Attribution.engine("deadline")));

        var explanation =
                ExplanationExample.of(Given.ended(Outcome.EXPIRED)).step(engine).explain();

        assertThat(explanation.words()).isEqualTo("expired at %s", NOON);
        assertThat(explanation.facts()).contains(engine);
    }

    @Test
    void running_work_whose_holder_is_gone_already_just_runs() {
        assertThat(explain(Given.RUNNING).words()).isEqualTo("running");
    }

    @Test
    void a_sentence_stays_short_enough_to_be_read() {
        var failed = Given.ended(Outcome.FAILED);

        var explanation = explain(failed, Failure.of("permanent", "x".repeat(5000)));

        assertThat(Text.utf8Length(explanation.words())).isEqualTo(4096);
    }

    @Test
    void numbers_are_told_in_words() {
        assertThat(Fact.Ahead.of(0).words()).isEqualTo("nothing is ahead of it");
        assertThat(Fact.Ahead.of(1).words()).isEqualTo("1 execution is ahead of it");
        assertThat(Fact.Ahead.of(1000).words()).isEqualTo("1,000 executions are ahead of it");
        assertThat(Fact.Ahead.of(1001).words())
                .isEqualTo("more than 1,000 executions are ahead of it");
        assertThat(new Fact.Workers(EMAILS, 1, 1, 0, Optional.empty()).words())
                .isEqualTo(
                        "1 of 1 live worker in lane default/emails can take it, holding nothing");
        assertThat(new Fact.Workers(EMAILS, 1234, 7, 1, Optional.empty()).words())
                .isEqualTo(
                        "7 of 1,234 live workers in lane default/emails can take it, holding 1"
                                + " execution");
    }

    @Test
    void every_other_fact_has_words() {
        var olga = Optional.of(new Attribution("olga", "spring cleaning"));
        var done = new ExecutionView.Done(40, "", NOON);
        var owner = new Owner(SESSION, "mailer", "mailer-1");

        assertThat(new Fact.Step(Transition.PAUSE, NOON, olga).words())
                .isEqualTo("last step: pause at %s, by olga: spring cleaning", NOON);
        assertThat(new Fact.ClosedLane(EMAILS, LaneSettings.State.PAUSED, NOON, olga).words())
                .isEqualTo(
                        "lane default/emails is paused since %s, by olga: spring cleaning", NOON);
        assertThat(new Fact.Reported(done).words()).isEqualTo("40 %% done at %s", NOON);
        assertThat(new Fact.Deadline(NOON).words()).isEqualTo("deadline at %s", NOON);
        assertThat(new Fact.Holder(owner, NOON, LATER, LATER).words())
                .isEqualTo(
                        "on worker mailer, instance mailer-1, since %s, last heard of at %s",
                        NOON, LATER);
    }

    @Test
    void rivals_are_what_the_same_workers_could_take() {
        var printer = Session.of("w", "i", EMAILS.name()).kinds("mail", "print");
        var stranger = Session.of("w", "i", "letters");
        var view = ViewExample.in(READY).view();

        var rivals = CompetingWork.of(view, List.of(printer, stranger));

        assertThat(rivals.workers()).containsExactly(printer);
        assertThat(rivals.include("print", Capabilities.NONE, List.of())).isTrue();
        assertThat(rivals.include("mail", Capabilities.of("gpu"), List.of())).isFalse();
        assertThat(rivals.include("fax", Capabilities.NONE, List.of())).isFalse();
        assertThat(rivals.include("print", Capabilities.NONE, List.of(quota(2), quota(3))))
                .as("a full quota holds it back")
                .isFalse();
        assertThat(rivals.include("print", Capabilities.NONE, List.of(quota(2)))).isTrue();
        assertThat(CompetingWork.of(view, List.of()).include("print", Capabilities.NONE, List.of()))
                .isFalse();
        assertThat(CompetingWork.of(view, List.of()).include("mail", Capabilities.NONE, List.of()))
                .isTrue();
    }

    private static QuotaView quota(int running) {
        return new QuotaView(
                Quota.atOnce("calls", 3), QuotaUse.of("calls"), running, 0, Optional.empty());
    }

    private static Explanation explain(ExecutionState state) {
        return ExplanationExample.of(state).explain();
    }

    private static Explanation explain(ExecutionState state, Failure failure) {
        return ExplanationExample.of(ViewExample.in(state).failure(failure)).explain();
    }
}
