package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.BOB;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Promises across executions: of sessions, quotas, budgets, counts, times and order. Each is broken
 * by a history that was made for it, and kept by one that is nearly the same.
 */
class RunCheckerTest {
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration TTL = Duration.ofSeconds(30);
    private static final Expectations PROMPT = Expectations.slack(Duration.ofSeconds(2)).places(2);

    private final Tale tale = new Tale();
    private final Tale other = new Tale();

    @Nested
    class Sessions {
        @Test
        void an_end_by_a_session_that_an_operator_had_declared_dead() {
            tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
            tale.at = tale.at.plus(SECOND);
            tale.complete(ADA).seenCompleted("late");

            assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
        }

        @Test
        void an_end_in_the_moment_of_the_death_may_have_come_before_it() {
            tale.submit().toldAccepted().claim(ADA).tell(marked(tale.at));
            tale.complete(ADA).seenCompleted("in time");

            assertThat(kinds(tale)).isEmpty();
        }

        @Test
        void an_end_by_a_session_whose_other_work_had_lapsed() {
            tale.submit().toldAccepted().claim(ADA);
            other.submit().toldAccepted().claim(ADA).lapse(ADA).claim(BOB).complete(BOB);
            tale.at = other.at;
            tale.complete(ADA);

            assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b")))
                    .containsExactly(Kind.WRITE_AFTER_DEATH);
        }

        @Test
        void an_end_after_the_time_of_the_last_heartbeat() {
            tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, SECOND);
            tale.at = tale.at.plus(Duration.ofSeconds(2));
            tale.complete(ADA).seenCompleted("late");

            assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
        }

        @Test
        void an_end_within_the_time_of_the_last_heartbeat() {
            tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, TTL);
            tale.at = tale.at.plus(Duration.ofSeconds(2));
            tale.complete(ADA).seenCompleted("in time");

            assertThat(kinds(tale)).isEmpty();
        }

        @Test
        void a_heartbeat_of_a_dead_session() {
            tale.tell(marked(tale.at));
            tale.at = tale.at.plus(SECOND);
            tale.heartbeat(ADA, TTL);

            assertThat(kinds(tale)).containsExactly(Kind.WRITE_AFTER_DEATH);
        }

        @Test
        void a_lease_for_a_dead_session() {
            tale.submit().toldAccepted().tell(marked(tale.at));
            tale.at = tale.at.plus(SECOND);
            tale.claim(ADA).cancel(Optional.of(ADA));

            assertThat(kinds(tale)).contains(Kind.WRITE_AFTER_DEATH);
        }
    }

    @Nested
    class Quotas {
        @Test
        void more_at_once_than_a_quota_allows() {
            bothBehind(Quota.atOnce("house", 1));
            tale.claim(ADA);
            other.at = tale.at;
            other.claim(BOB);

            assertThat(kinds(tale, other)).contains(Kind.QUOTA_EXCEEDED);
        }

        @Test
        void one_after_the_other_is_allowed() {
            bothBehind(Quota.atOnce("house", 1));
            tale.claim(ADA).complete(ADA);
            other.at = tale.at;
            other.claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b"))).isEmpty();
        }

        @Test
        void keys_count_apart() {
            bothBehind(Quota.atOnce("house", 1));
            tale.policy = Policy.DEFAULT.quota("house", "north");
            other.policy = Policy.DEFAULT.quota("house", "south");
            tale.toldAccepted().claim(ADA);
            other.toldAccepted().claim(BOB);

            assertThat(kinds(tale, other)).doesNotContain(Kind.QUOTA_EXCEEDED);
        }

        @Test
        void more_starts_in_a_window_than_a_quota_allows() {
            bothBehind(Quota.rate("house", 1, Duration.ofSeconds(10)));
            tale.claim(ADA).complete(ADA);
            other.at = tale.at;
            other.claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b")))
                    .containsExactly(Kind.QUOTA_EXCEEDED);
        }

        @Test
        void starts_in_two_windows_are_allowed() {
            bothBehind(Quota.rate("house", 1, Duration.ofSeconds(1)));
            tale.claim(ADA).complete(ADA);
            other.at = tale.at;
            other.claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("a"), other.seenCompleted("b"))).isEmpty();
        }

        @Test
        void going_on_with_an_attempt_is_no_start() {
            bothBehind(Quota.rate("house", 1, Duration.ofSeconds(60)));
            tale.claim(ADA).release(ADA).claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("done"))).isEmpty();
        }

        @Test
        void the_quota_of_a_lane_counts_for_all_of_its_work() {
            tale.tell(define(Quota.atOnce("house", 1), tale.at));
            tale.tell(configure(Lane.DEFAULT, LaneSettings.DEFAULT.quota("house")));
            tale.submit().toldAccepted().claim(ADA);
            other.at = tale.at;
            other.submit().toldAccepted().claim(BOB);

            assertThat(kinds(tale, other)).contains(Kind.QUOTA_EXCEEDED);
        }

        @Test
        void a_grant_holds_its_place_until_it_is_forfeited() {
            bothBehind(Quota.atOnce("house", 1));
            tale.epoch = Fence.epochAfter(tale.epoch, tale.at);
            tale.step(Transition.GRANT, Situation.GRANTED, Optional.of(ADA), Optional.empty());
            other.at = tale.at;
            other.claim(BOB);

            assertThat(kinds(tale, other)).contains(Kind.QUOTA_EXCEEDED);
        }

        private void bothBehind(Quota quota) {
            tale.tell(define(quota, tale.at));
            tale.policy = Policy.DEFAULT.quota("house");
            other.policy = tale.policy;
            tale.submit().toldAccepted();
            other.submit().toldAccepted();
        }
    }

    @Nested
    class Budgets {
        private final Budget team = Budget.of("team", "tokens", 100);

        @Test
        void a_start_long_after_the_limit_was_reached() {
            start(Duration.ofSeconds(5));

            assertThat(kinds(List.of(team))).containsExactly(Kind.BUDGET_EXCEEDED);
        }

        @Test
        void a_start_beside_the_last_report() {
            start(Duration.ZERO);

            assertThat(kinds(List.of(team))).isEmpty();
        }

        @Test
        void a_start_after_the_limit_was_raised() {
            tale.policy = Policy.DEFAULT.budget("team");
            tale.tell(reached());
            tale.tell(
                    new Event.BudgetChange(
                            Namespace.DEFAULT, "team", "define", Tale.OPERATOR, tale.at));
            tale.at = tale.at.plus(Duration.ofSeconds(5));
            tale.submit().toldAccepted().claim(ADA).complete(ADA).seenCompleted("done");

            assertThat(kinds(List.of(team))).isEmpty();
        }

        @Test
        void a_start_below_a_budget_whose_limit_was_reached() {
            start(Duration.ofSeconds(5));
            tale.policy = Policy.DEFAULT.budget("room");
            tale.toldAccepted();

            assertThat(kinds(List.of(team, Budget.of("room", "tokens", 9).parent("team"))))
                    .contains(Kind.BUDGET_EXCEEDED);
        }

        private void start(Duration later) {
            tale.policy = Policy.DEFAULT.budget("team");
            tale.tell(reached());
            tale.at = tale.at.plus(later);
            tale.submit().toldAccepted().claim(ADA).complete(ADA).seenCompleted("done");
        }

        private Event reached() {
            return new Event.BudgetReached(Namespace.DEFAULT, "team", "tokens", true, 100, tale.at);
        }

        private Set<Kind> kinds(List<Budget> budgets) {
            return RunCheckerTest.kinds(tale.history().expecting(PROMPT.budgets(budgets)));
        }
    }

    @Nested
    class Counts {
        @Test
        void executions_that_are_counted_and_not_there() {
            tale.submit().claim(ADA).complete(ADA).seenCompleted("done");
            tale.totals = counted(Map.of(PublicState.COMPLETED, 2L));

            assertThat(kinds(tale)).containsExactly(Kind.MISCOUNTED);
        }

        @Test
        void executions_that_are_counted_as_they_are() {
            tale.submit().claim(ADA).complete(ADA).seenCompleted("done");
            tale.totals = counted(Map.of(PublicState.COMPLETED, 1L));

            assertThat(kinds(tale)).isEmpty();
        }

        @Test
        void a_place_in_a_quota_that_is_held_by_nothing() {
            var quota = Quota.atOnce("house", 3);
            tale.policy = Policy.DEFAULT.quota("house");
            tale.tell(define(quota, tale.at)).submit().toldAccepted().claim(ADA).complete(ADA);
            tale.seenCompleted("done");
            tale.totals =
                    new Totals(
                            Map.of(),
                            List.of(
                                    new QuotaView(
                                            quota, QuotaUse.of("house"), 1, 0, Optional.empty())),
                            List.of());

            assertThat(kinds(tale)).containsExactly(Kind.MISCOUNTED);
        }

        @Test
        void tokens_that_are_set_aside_for_nothing() {
            tale.submit().claim(ADA).complete(ADA).seenCompleted("done");
            var levels = new TreeMap<>(Map.of("tokens", new BudgetView.Level(5, 7)));
            tale.totals =
                    new Totals(
                            Map.of(),
                            List.of(),
                            List.of(
                                    new BudgetView(
                                            Budget.of("team", "tokens", 100),
                                            levels,
                                            Optional.empty())));

            assertThat(kinds(tale)).containsExactly(Kind.MISCOUNTED);
        }

        private static Totals counted(Map<PublicState, Long> counts) {
            return new Totals(Map.of(Lane.DEFAULT, counts), List.of(), List.of());
        }
    }

    @Nested
    class Times {
        @Test
        void a_timer_that_fires_late() {
            tale.submit().toldAccepted().claim(ADA).retry(ADA);
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.wake();

            assertThat(late(tale)).isTrue();
        }

        @Test
        void a_timer_that_fires_late_because_of_a_fault() {
            tale.submit().toldAccepted().claim(ADA).retry(ADA);
            var faults = new Faults();
            faults.everywhere(tale.at).over(tale.at.plus(Duration.ofSeconds(9)));
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.wake();

            assertThat(late(faults, tale)).isFalse();
        }

        @Test
        void a_timer_that_fires_in_time() {
            tale.submit().toldAccepted().claim(ADA).retry(ADA).wake();

            assertThat(late(tale)).isFalse();
        }

        @Test
        void work_of_a_dead_session_that_comes_back_late() {
            tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, SECOND);
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.lapse(ADA);

            assertThat(late(tale)).isTrue();
        }

        @Test
        void work_of_a_dead_session_that_comes_back_in_time() {
            tale.submit().toldAccepted().claim(ADA).heartbeat(ADA, SECOND);
            tale.at = tale.at.plus(Duration.ofSeconds(2));
            tale.lapse(ADA);

            assertThat(late(tale)).isFalse();
        }

        @Test
        void ready_work_that_a_worker_with_room_takes_late() {
            tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.claim(ADA);

            assertThat(late(tale)).isTrue();
        }

        @Test
        void ready_work_that_a_worker_takes_late_who_was_frozen() {
            tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
            var faults = new Faults();
            faults.at("ada", tale.at).over(tale.at.plus(SECOND));
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.claim(ADA);

            assertThat(late(faults, tale)).isFalse();
        }

        @Test
        void ready_work_that_is_taken_late_by_a_worker_that_had_no_room() {
            tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
            var first = new Tale();
            var second = new Tale();
            for (var busy : List.of(first, second)) {
                busy.submit().toldAccepted().claim(ADA);
                busy.at = tale.at.plus(Duration.ofSeconds(9));
                busy.complete(ADA);
            }
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.claim(ADA);

            assertThat(late(new Faults(), first, second, tale)).isFalse();
        }

        @Test
        void work_behind_a_quota_may_wait() {
            tale.policy = Policy.DEFAULT.quota("house");
            tale.heartbeat(ADA, Duration.ofMinutes(1)).submit().toldAccepted();
            tale.at = tale.at.plus(Duration.ofSeconds(10));
            tale.claim(ADA);

            assertThat(late(tale)).isFalse();
        }

        private boolean late(Tale one) {
            return late(new Faults(), one);
        }

        private boolean late(Faults faults, Tale... tales) {
            var expected = new Expectations(PROMPT.slack(), PROMPT.places(), List.of(), faults);
            return kinds(Tale.together(tales).expecting(expected)).contains(Kind.LATE);
        }
    }

    @Nested
    class Order {
        @Test
        void work_that_is_overtaken_by_work_of_a_lower_priority_and_waits_on() {
            overtaken(Duration.ofSeconds(10));

            assertThat(kinds(Tale.together(tale, other).expecting(PROMPT)))
                    .contains(Kind.OUT_OF_ORDER);
        }

        @Test
        void work_that_is_overtaken_for_a_moment() {
            overtaken(SECOND);

            assertThat(kinds(Tale.together(tale, other).expecting(PROMPT)))
                    .doesNotContain(Kind.OUT_OF_ORDER);
        }

        private void overtaken(Duration waitsOn) {
            tale.policy = Policy.DEFAULT.priority(5);
            tale.submit().toldAccepted();
            other.submit().toldAccepted();
            other.at = other.at.plus(Duration.ofSeconds(5));
            var taken = other.at;
            other.claim(BOB);
            tale.at = taken.plus(waitsOn);
            tale.claim(ADA);
        }

        @Test
        void a_claim_that_gives_low_before_high() {
            tale.policy = Policy.DEFAULT.priority(1);
            other.policy = Policy.DEFAULT.priority(2);
            claimTogether(tale, other);

            assertThat(kinds(tale, other)).contains(Kind.OUT_OF_ORDER);
        }

        @Test
        void a_claim_that_gives_high_before_low() {
            tale.policy = Policy.DEFAULT.priority(2);
            other.policy = Policy.DEFAULT.priority(1);
            claimTogether(tale, other);

            assertThat(kinds(tale, other)).doesNotContain(Kind.OUT_OF_ORDER);
        }

        @Test
        void a_claim_that_gives_late_before_early() {
            other.submit().toldAccepted();
            tale.at = other.at.plus(SECOND);
            tale.submit().toldAccepted();
            other.at = tale.at;
            var call = tale.call();
            tale.claim(ADA).toldLease(ADA, 1, call);
            other.claim(ADA).toldLease(ADA, 1, call);

            assertThat(kinds(tale, other)).contains(Kind.OUT_OF_ORDER);
        }

        private void claimTogether(Tale first, Tale second) {
            first.submit().toldAccepted();
            second.submit().toldAccepted();
            var call = first.call();
            first.claim(ADA).toldLease(ADA, 1, call);
            second.claim(ADA).toldLease(ADA, 1, call);
        }
    }

    @Nested
    class Turns {
        private static final Lane SLOW = Lane.of("slow");

        @Test
        void a_claim_that_leaves_one_lane_out_although_it_has_more() {
            assertThat(kinds(claim(8, 1))).contains(Kind.OUT_OF_TURN);
        }

        @Test
        void a_claim_that_takes_turns() {
            assertThat(kinds(claim(4, 4))).doesNotContain(Kind.OUT_OF_TURN);
        }

        /** One claim takes so many of two lanes, and one is left of each. */
        private History claim(int ofDefault, int ofSlow) {
            var tales = new ArrayList<Tale>();
            for (int i = 0; i <= ofDefault + ofSlow + 1; i++) {
                var one = new Tale();
                one.lane = i > ofDefault ? SLOW : Lane.DEFAULT;
                tales.add(one.submit().toldAccepted());
            }
            var call = tales.getFirst().call();
            for (int i = 0; i < tales.size(); i++) {
                if (i != 0 && i != tales.size() - 1) {
                    tales.get(i).claim(ADA).toldLease(ADA, 1, call);
                }
            }
            return Tale.together(tales.toArray(Tale[]::new));
        }
    }

    private static Event marked(Instant at) {
        return new Event.MarkedDead(ADA, Namespace.DEFAULT, Tale.OPERATOR, at);
    }

    private static Event define(Quota quota, Instant at) {
        return new Event.QuotaChange(
                Namespace.DEFAULT, quota.name(), Optional.of(quota), Tale.OPERATOR, at);
    }

    private Event configure(Lane lane, LaneSettings settings) {
        return new Event.LaneChange(lane, settings, Tale.OPERATOR, tale.at);
    }

    private static Set<Kind> kinds(Tale... tales) {
        return kinds(Tale.together(tales));
    }

    private static Set<Kind> kinds(History history) {
        return new HistoryChecker(history)
                .verdict().stream().map(Violation::kind).collect(Collectors.toSet());
    }
}
