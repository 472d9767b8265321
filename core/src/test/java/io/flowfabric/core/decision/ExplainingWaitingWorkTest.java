package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.Fact.PendingUpstreams.PendingMember;
import io.flowfabric.core.query.ViewExample;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

class ExplainingWaitingWorkTest {
    private static final Lane EMAILS = Lane.of("emails");
    private static final Instant LATER = NOON.plusSeconds(60);
    private static final Instant MUCH_LATER = NOON.plusSeconds(3600);
    private static final Ready READY = new Ready(LeasePurpose.FIRST);
    private static final Failure FAILURE = Failure.of("transient", "no paper");
    private static final Attribution OLGA = new Attribution("olga", "spring cleaning");
    private static final Session MAILER = Session.of("mailer", "mailer-1", "emails");

    private static Blocked by(BlockedBy by) {
        return new Blocked(by, "the detail", READY);
    }

    private static Fact.Budget budget(String name, long used, long held, Optional<Instant> resets) {
        var levels = new TreeMap<>(Map.of("tokens", new BudgetView.Level(used, held)));
        return new Fact.Budget(
                new BudgetView(Budget.of(name, "tokens", 100), levels, resets),
                BudgetUse.of(name, Map.of("tokens", 10L)));
    }

    private static Fact.Budget openBudget() {
        return budget("house", 90, 0, Optional.empty());
    }

    private static Fact.Budget shutBudget(Instant resets) {
        return budget("team", 91, 0, Optional.of(resets));
    }

    private static QuotaView running(int running) {
        return new QuotaView(
                Quota.atOnce("mails", 3), QuotaUse.of("mails"), running, 0, Optional.empty());
    }

    private static QuotaView started(int running, int started, Instant opens) {
        return new QuotaView(
                Quota.atOnce("calls", 3).rate(5, Duration.ofMinutes(1)),
                QuotaUse.of("calls"),
                running,
                started,
                Optional.of(opens));
    }

    @Test
    void ready_work_says_who_could_take_it_and_what_is_ahead() {
        var stranger = Session.of("printer", "printer-1", "letters");
        var deaf = Session.of("faxer", "faxer-1", "emails").kinds("fax");

        var explanation =
                ExplanationExample.of(READY)
                        .alive(MAILER, stranger, deaf)
                        .held(4)
                        .ahead(2)
                        .explain();

        assertThat(explanation.words())
                .isEqualTo(
                        "ready: 1 of 2 live workers in lane default/emails can take it, holding 4"
                                + " executions; 2 executions are ahead of it");
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.Workers(EMAILS, 2, 1, 4, Optional.empty()), Fact.Ahead.of(2));
        assertThat(explanation.nextTry()).isEmpty();
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_WORKER);
    }

    @Test
    void ready_work_tells_how_its_bounds_stand() {
        var open = openBudget();

        assertThat(ExplanationExample.of(READY).budgets(open).quotas(running(1)).explain().facts())
                .contains(open, new Fact.Quota(running(1)));
    }

    @Test
    void ready_work_whose_deadline_has_come_only_waits_for_its_end() {
        assertThat(ExplanationExample.of(ViewExample.in(READY).deadline(NOON)).explain().words())
                .isEqualTo(
                        "its deadline passed at %s; it expires as soon as the engine looks", NOON);
        assertThat(
                        ExplanationExample.of(ViewExample.in(READY).deadline(NOON.plusMillis(1)))
                                .explain()
                                .words())
                .startsWith("ready: ");
    }

    @Test
    void a_deadline_ahead_is_a_fact() {
        assertThat(ExplanationExample.of(ViewExample.in(READY).deadline(LATER)).explain().facts())
                .contains(new Fact.Deadline(LATER));
    }

    @Test
    void a_delay_that_is_over_says_that_the_engine_has_yet_to_look() {
        var over = new Delayed(LeasePurpose.FIRST, NOON, DelayedBy.REQUEST);
        var notYet = new Delayed(LeasePurpose.FIRST, NOON.plusMillis(1), DelayedBy.REQUEST);

        assertThat(ExplanationExample.of(over).explain().words())
                .isEqualTo(
                        "its delay was over at %s; it becomes ready as soon as the engine looks",
                        NOON);
        assertThat(ExplanationExample.of(notYet).explain().words())
                .isEqualTo("delayed until %s, as its submission asked", NOON.plusMillis(1));
    }

    @Test
    void work_that_backs_off_says_after_which_failure() {
        var backingOff = new Delayed(LeasePurpose.RETRY, LATER, DelayedBy.BACKOFF);

        var explanation =
                ExplanationExample.of(ViewExample.in(backingOff).failure(FAILURE)).explain();

        assertThat(explanation.words())
                .isEqualTo("backing off until %s; retry 1 of 3, after transient: no paper", LATER);
        assertThat(explanation.nextTry()).contains(LATER);
    }

    @Test
    void in_a_closed_lane_the_words_say_who_closed_it() {
        var explanation =
                ExplanationExample.of(by(BlockedBy.LANE))
                        .lane(LaneSettings.State.PAUSED, OLGA)
                        .alive(MAILER)
                        .quotas(running(1))
                        .explain();

        assertThat(explanation.words())
                .isEqualTo(
                        "lane default/emails is paused since %s, by olga: spring cleaning", NOON);
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.ClosedLane(
                                EMAILS, LaneSettings.State.PAUSED, NOON, Optional.of(OLGA)),
                        new Fact.Workers(EMAILS, 1, 1, 0, Optional.empty()),
                        new Fact.Quota(running(1)));
        assertThat(explanation.nextTry()).isEmpty();
    }

    @Test
    void in_a_closed_lane_it_is_told_when_no_worker_could_take_it_anyway() {
        var gpu = ViewExample.in(by(BlockedBy.LANE)).policy(needing("gpu"));

        assertThat(ExplanationExample.of(gpu).explain().facts(Fact.Workers.class))
                .extracting(Fact::words)
                .containsExactly("needs gpu; no live worker in lane default/emails");
    }

    @Test
    void what_no_worker_could_take_reads_as_it_was_found_even_if_one_came_since() {
        var explanation =
                ExplanationExample.of(by(BlockedBy.ROUTE))
                        .alive(MAILER)
                        .quotas(running(1))
                        .explain();

        assertThat(explanation.words()).isEqualTo("the detail");
        assertThat(explanation.facts())
                .containsExactly(
                        new Fact.Workers(EMAILS, 1, 1, 0, Optional.of("the detail")),
                        new Fact.Quota(running(1)));
        assertThat(explanation.nextTry()).isEmpty();
    }

    @Test
    void bounds_that_hold_it_back_are_told_before_those_that_do_not() {
        var explanation =
                ExplanationExample.of(by(BlockedBy.BUDGET))
                        .budgets(openBudget(), shutBudget(LATER))
                        .quotas(running(2), started(0, 5, LATER))
                        .explain();

        assertThat(explanation.words()).isEqualTo("the detail");
        assertThat(explanation.facts())
                .containsExactly(
                        shutBudget(LATER),
                        new Fact.Quota(started(0, 5, LATER)),
                        openBudget(),
                        new Fact.Quota(running(2)),
                        new Fact.Workers(EMAILS, 0, 0, 0, Optional.empty()));
        assertThat(explanation.facts().stream().limit(4).map(Fact::words))
                .containsExactly(
                        "budget team: tokens 91 of 100 used, 0 set aside, 10 needed, resets at "
                                + LATER,
                        "quota calls: 5 of 5 started within PT1M, the next at " + LATER,
                        "budget house: tokens 90 of 100 used",
                        "quota mails: 2 running, 0 started");
    }

    @Test
    void it_is_tried_next_when_the_last_of_its_shut_bounds_opens() {
        var rate = started(0, 5, LATER);

        assertThat(
                        ExplanationExample.of(by(BlockedBy.QUOTA))
                                .budgets(openBudget())
                                .quotas(running(2), rate)
                                .explain()
                                .nextTry())
                .contains(LATER);
        assertThat(
                        ExplanationExample.of(by(BlockedBy.BUDGET))
                                .budgets(shutBudget(MUCH_LATER))
                                .quotas(rate)
                                .explain()
                                .nextTry())
                .contains(MUCH_LATER);
        assertThat(
                        ExplanationExample.of(by(BlockedBy.BUDGET))
                                .budgets(shutBudget(LATER))
                                .quotas(started(0, 5, MUCH_LATER))
                                .explain()
                                .nextTry())
                .contains(MUCH_LATER);
    }

    @Test
    void no_time_is_told_when_it_depends_on_what_runs() {
        assertThat(
                        ExplanationExample.of(by(BlockedBy.QUOTA))
                                .quotas(started(3, 5, LATER))
                                .explain()
                                .nextTry())
                .as("the rate opens later, but no place is free")
                .isEmpty();
        assertThat(
                        ExplanationExample.of(by(BlockedBy.QUOTA))
                                .quotas(running(3), started(0, 5, LATER))
                                .explain()
                                .nextTry())
                .as("one of two opens by itself")
                .isEmpty();
        assertThat(
                        ExplanationExample.of(by(BlockedBy.BUDGET))
                                .budgets(budget("team", 0, 91, Optional.of(LATER)))
                                .explain()
                                .nextTry())
                .as("what is set aside goes on being so in the next period")
                .isEmpty();
    }

    @Test
    void held_work_says_who_holds_it_and_tells_the_step_once() {
        var pause = new Fact.Step(Transition.PAUSE, NOON, Optional.of(OLGA));

        var explanation = ExplanationExample.of(by(BlockedBy.OPERATOR)).step(pause).explain();

        assertThat(explanation.words()).isEqualTo("held since %s, by olga: spring cleaning", NOON);
        assertThat(explanation.facts()).containsExactly(pause);
        assertThat(explanation.nextTry()).isEmpty();
    }

    @Test
    void held_work_whose_step_is_forgotten_still_says_why() {
        assertThat(ExplanationExample.of(by(BlockedBy.OPERATOR)).explain().words())
                .isEqualTo("held by an operator: the detail");
    }

    @Test
    void a_delay_behind_a_hold_is_told_with_its_failure() {
        var backingOff = new Delayed(LeasePurpose.RETRY, LATER, DelayedBy.BACKOFF);
        var held = new Blocked(BlockedBy.OPERATOR, "the detail", backingOff);

        assertThat(ExplanationExample.of(ViewExample.in(held).failure(FAILURE)).explain().facts())
                .containsExactly(
                        new Fact.Delay(LATER, DelayedBy.BACKOFF, LeasePurpose.RETRY),
                        new Fact.LastFailure(FAILURE, 1, 3));
    }

    private static Policy needing(String capability) {
        return Policy.DEFAULT.needs(Capabilities.of(capability));
    }

    @Test
    void a_member_that_waits_names_what_it_waits_for() {
        var upstreams = upstreams(Join.ALL_OF, 3, 1, 0, "left", "right");

        var explanation =
                ExplanationExample.of(by(BlockedBy.DEPENDENCIES)).upstreams(upstreams).explain();

        assertThat(explanation.words()).isEqualTo("waits for left (active), right (active)");
        assertThat(explanation.facts()).containsExactly(upstreams);
        assertThat(explanation.nextTry()).isEmpty();
        assertThat(ExplanationExample.of(by(BlockedBy.DEPENDENCIES)).explain().words())
                .isEqualTo("the detail");
    }

    @Test
    void what_a_member_waits_for_is_said_by_how_many_it_needs() {
        assertThat(upstreams(Join.quorum(2), 4, 1, 0, "b", "c", "d").words())
                .isEqualTo("waits for 1 of b (active), c (active), d (active)");
        assertThat(upstreams(Join.quorum(2), 4, 1, 1, "c", "d").words())
                .isEqualTo(
                        "waits for 1 of c (active), d (active); 1 of those before it did not"
                                + " succeed");
        assertThat(upstreams(Join.quorum(2), 3, 1, 1, "c").words())
                .isEqualTo("waits for c (active); 1 of those before it did not succeed");
        assertThat(upstreams(Join.ALL_OF, 5_000, 10, 0, "a", "b").words())
                .isEqualTo("waits for a (active), b (active) and 4,988 more");
        assertThat(upstreams(Join.ALL_OF, 1, 1, 0).words())
                .isEqualTo("waits for members of its flow");
    }

    @Test
    void an_unsealed_member_waits_to_be_sealed() {
        assertThat(Fact.PendingUpstreams.of(Join.ALL_OF, true, 1, 1, 0, List.of()).words())
                .isEqualTo("waits to be sealed");
        assertThat(Fact.PendingUpstreams.of(Join.anyOf(), true, 2, 0, 0, pending("a", "b")).words())
                .isEqualTo("waits to be sealed, and for a (active), b (active)");
    }

    private static Fact.PendingUpstreams upstreams(
            Join join, int edges, int met, int missed, String... names) {
        return Fact.PendingUpstreams.of(join, false, edges, met, missed, pending(names));
    }

    private static List<PendingMember> pending(String... names) {
        return Stream.of(names).map(name -> new PendingMember(name, PublicState.ACTIVE)).toList();
    }
}
