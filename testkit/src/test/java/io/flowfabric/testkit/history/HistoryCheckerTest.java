package io.flowfabric.testkit.history;

import static io.flowfabric.testkit.history.Tale.ADA;
import static io.flowfabric.testkit.history.Tale.ADA_AGAIN;
import static io.flowfabric.testkit.history.Tale.BOB;
import static io.flowfabric.testkit.history.Tale.kinds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Payload;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Optional;

/** Every kind of broken promise is found in a history that was made to break it, and only there. */
class HistoryCheckerTest {
    private final Tale tale = new Tale();

    @Nested
    class Sound {
        @Test
        void a_straight_tale_is_sound() {
            tale.submit().toldAccepted();
            tale.claim(ADA).toldLease(ADA, 1).toldProgress(1).lapse(ADA);
            tale.claim(BOB).toldLease(BOB, 2).retry(BOB).wake();
            tale.claim(ADA_AGAIN).toldLease(ADA_AGAIN, 3).complete(ADA_AGAIN);
            tale.toldCompleted(3, "done");
            tale.seenCompleted("done");

            HistoryAssert.assertThat(tale.history().meantToBeDrained()).isSound();
        }

        @Test
        void a_replay_begins_a_new_attempt() {
            tale.submit().claim(ADA).complete(ADA).replay().claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("again").history())).isEmpty();
        }

        @Test
        void what_is_still_running_at_the_end_has_an_open_lease() {
            tale.submit().claim(ADA);
            var running = new ExecutionState.Running(ADA.session(), tale.at.minus(Tale.STEP));

            assertThat(kinds(tale.seen(running).history())).isEmpty();
        }

        @Test
        void what_its_retention_took_away_is_not_lost() {
            tale.policy = Policy.DEFAULT.retention(Duration.ofMillis(500));
            tale.submit().toldAccepted().claim(ADA).complete(ADA);

            assertThat(kinds(tale.history().meantToBeDrained())).isEmpty();
        }

        @Test
        void an_id_lives_again_after_its_retention() {
            tale.policy = Policy.DEFAULT.retention(Duration.ofMillis(500));
            tale.submit().toldAccepted().claim(ADA).complete(ADA);
            tale.attempts = 0;
            tale.epoch = 0;
            tale.submit().claim(BOB).toldLease(BOB, 2).complete(BOB).toldCompleted(2, "new");

            assertThat(kinds(tale.seenCompleted("new").history())).isEmpty();
        }

        @Test
        void a_repeated_ending_is_told_twice_and_happens_once() {
            tale.submit().claim(ADA).complete(ADA);
            tale.toldCompleted(1, "done").toldCompleted(1, "done");

            assertThat(kinds(tale.seenCompleted("done").history())).isEmpty();
        }

        @Test
        void ready_work_reads_as_blocked_in_a_closed_lane() {
            var behind = new ExecutionState.Ready(LeasePurpose.FIRST);
            tale.submit();
            tale.seen(new ExecutionState.Blocked(BlockedBy.LANE, "lane is paused", behind));

            assertThat(kinds(tale.history())).isEmpty();
        }
    }

    @Nested
    class Recorded {
        @Test
        void steps_are_recorded_once_by_whoever_holds_the_lease() {
            tale.submit().claim(ADA).recorded(1, "pay").toldRecorded(1, "pay").release(ADA);
            tale.claim(BOB).toldRecorded(2, "pay").recorded(2, "send").complete(BOB);
            tale.replay().claim(ADA_AGAIN).recorded(3, "pay").complete(ADA_AGAIN);

            assertThat(kinds(tale.seenCompleted("done").history())).isEmpty();
        }

        @Test
        void a_step_that_was_recorded_twice() {
            tale.submit().claim(ADA).recorded(1, "pay").release(ADA);
            tale.claim(BOB).recorded(2, "pay").complete(BOB);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.RECORDED_TWICE);
        }

        @Test
        void a_step_under_a_lease_that_was_over() {
            tale.submit().claim(ADA).lapse(ADA).recorded(1, "pay");
            tale.claim(BOB).recorded(1, "send").recorded(2, "file").complete(BOB);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.STALE_WRITE);
        }

        @Test
        void a_step_that_was_acknowledged_to_a_worker_without_the_lease() {
            tale.submit().claim(ADA).lapse(ADA).claim(BOB).toldLease(BOB, 2);
            tale.toldRecorded(1, "pay").complete(BOB);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.STALE_WRITE);
        }
    }

    @Nested
    class Lost {
        @Test
        void accepted_work_that_is_nowhere() {
            assertThat(kinds(tale.toldAccepted().history())).containsExactly(Kind.LOST_WORK);
        }

        @Test
        void work_that_vanished_before_its_end() {
            tale.submit().toldAccepted().claim(ADA);

            assertThat(kinds(tale.history())).containsExactly(Kind.LOST_WORK);
        }

        @Test
        void work_that_vanished_before_its_retention() {
            tale.submit().toldAccepted().claim(ADA).complete(ADA);

            assertThat(kinds(tale.history())).containsExactly(Kind.LOST_WORK);
        }

        @Test
        void work_that_lies_about_when_everything_is_done() {
            tale.submit().claim(ADA).retry(ADA).seenBackingOff();

            assertThat(kinds(tale.history())).isEmpty();
            assertThat(kinds(tale.history().meantToBeDrained())).containsExactly(Kind.LOST_WORK);
        }

        @Test
        void an_ending_without_a_trace() {
            tale.submit().claim(ADA).toldCompleted(1, "done");
            var running = new ExecutionState.Running(ADA.session(), tale.at.minus(Tale.STEP));

            assertThat(kinds(tale.seen(running).history())).containsExactly(Kind.LOST_WRITE);
        }

        @Test
        void an_act_without_a_trace() {
            tale.submit().toldDone(new OperatorCommand.Cancel(tale.id));
            tale.seen(new ExecutionState.Ready(LeasePurpose.FIRST));

            assertThat(kinds(tale.history())).containsExactly(Kind.LOST_WRITE);
        }

        @Test
        void a_lease_without_a_trace() {
            tale.submit().claim(ADA).toldLease(ADA, 1).toldLease(ADA, 2).complete(ADA);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.UNRECORDED_LEASE);
        }
    }

    @Nested
    class Stale {
        @Test
        void an_ending_under_a_lease_that_had_lapsed() {
            tale.submit().claim(ADA).lapse(ADA).claim(BOB).complete(BOB);
            tale.toldCompleted(1, "late").toldCompleted(2, "done").seenCompleted("done");

            assertThat(kinds(tale.history())).containsExactly(Kind.STALE_WRITE);
        }

        @Test
        void an_ending_under_a_lease_that_never_was() {
            tale.submit().claim(ADA).complete(ADA).toldCompleted(7, "forged");

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.STALE_WRITE);
        }

        @Test
        void progress_after_the_lease_by_the_clock() {
            tale.submit().claim(ADA).lapse(ADA).toldProgress(1).claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.STALE_WRITE);
        }

        @Test
        void progress_after_somebody_else_was_told_to_hold_the_lease() {
            tale.submit().claim(ADA).lapse(ADA).claim(BOB).toldLease(BOB, 2);
            // The clock stood still: only the order of the calls tells.
            tale.at = tale.at.minus(Tale.STEP.multipliedBy(2));
            tale.toldProgress(1);
            tale.at = tale.at.plus(Tale.STEP.multipliedBy(2));
            tale.complete(BOB).seenCompleted("done");

            assertThat(kinds(tale.history())).containsExactly(Kind.STALE_WRITE);
        }

        @Test
        void progress_under_a_lease_that_never_was() {
            tale.submit().claim(ADA).toldProgress(3).complete(ADA);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.STALE_WRITE);
        }
    }

    @Nested
    class Leases {
        @Test
        void two_claims_by_two_sessions() {
            tale.submit().claim(ADA).claim(BOB);
            tale.attempts = 1;
            tale.complete(BOB);

            assertThat(kinds(tale.history())).contains(Kind.TWO_HOLDERS);
        }

        @Test
        void two_claims_by_one_session() {
            tale.submit().claim(ADA).claim(ADA);

            assertThat(kinds(tale.history())).contains(Kind.LEASE_NEVER_ENDED);
        }

        @Test
        void an_end_that_forgets_the_lease() {
            tale.submit().claim(ADA).cancel(Optional.empty());

            assertThat(kinds(tale.history())).containsExactly(Kind.LEASE_NEVER_ENDED);
        }

        @Test
        void a_lease_that_ends_when_none_is_open() {
            tale.submit().cancel(Optional.of(ADA));

            assertThat(kinds(tale.history())).containsExactly(Kind.LEASE_ENDED_TWICE);
        }

        @Test
        void a_lease_that_was_ended_in_two_ways() {
            tale.submit().claim(ADA).complete(ADA);
            tale.toldCompleted(1, "one").toldCompleted(1, "two").seenCompleted("two");

            assertThat(kinds(tale.history())).containsExactly(Kind.LEASE_ENDED_TWICE);
        }

        @Test
        void a_lease_that_somebody_else_ends() {
            tale.submit().claim(ADA).complete(BOB);

            assertThat(kinds(tale.history())).containsExactly(Kind.LEASE_ENDED_BY_ANOTHER);
        }

        @Test
        void a_lease_without_an_owner() {
            tale.submit();
            tale.attempts = 1;
            tale.epoch = tale.at.toEpochMilli();
            tale.step(Transition.CLAIM, Situation.RUNNING, Optional.empty(), Optional.empty());

            assertThat(kinds(tale.seen(new ExecutionState.Ready(LeasePurpose.FIRST)).history()))
                    .contains(Kind.IMPOSSIBLE_STEP);
        }
    }

    @Nested
    class Counts {
        @Test
        void an_epoch_that_is_used_again() {
            tale.submit().claim(ADA).lapse(ADA);
            tale.claim(BOB, tale.epoch).complete(BOB);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.EPOCH_NOT_RISING);
        }

        @Test
        void an_epoch_that_changes_without_a_lease() {
            tale.submit().claim(ADA);
            tale.epoch++;
            tale.complete(ADA);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.EPOCH_NOT_RISING);
        }

        @Test
        void an_attempt_that_nobody_began() {
            tale.submit().claim(ADA).lapse(ADA);
            tale.attempts++;
            tale.claim(BOB).complete(BOB);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.ATTEMPT_MISCOUNTED);
        }

        @Test
        void an_attempt_that_is_taken_back() {
            tale.submit().claim(ADA).retry(ADA).wake().claim(ADA);
            tale.attempts--;
            tale.complete(ADA);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.ATTEMPT_MISCOUNTED);
        }

        @Test
        void a_retry_that_begins_no_attempt() {
            tale.submit().claim(ADA).retry(ADA).wake();
            tale.attempts--;
            tale.claim(ADA).complete(ADA);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.ATTEMPT_MISCOUNTED);
        }
    }

    @Nested
    class Order {
        @Test
        void an_end_after_the_end() {
            tale.submit().claim(ADA).complete(ADA).cancel(Optional.empty());

            assertThat(kinds(tale.history())).containsExactly(Kind.FINISHED_TWICE);
        }

        @Test
        void a_step_after_the_end() {
            tale.submit().cancel(Optional.empty()).claim(ADA);

            assertThat(kinds(tale.history())).contains(Kind.AFTER_THE_END);
        }

        @Test
        void a_second_submission_before_the_retention_ended() {
            tale.submit().toldAccepted().cancel(Optional.empty()).submit();

            assertThat(kinds(tale.seen(new ExecutionState.Ready(LeasePurpose.FIRST)).history()))
                    .containsExactly(Kind.AFTER_THE_END);
        }

        @Test
        void a_step_that_the_table_does_not_have() {
            tale.submit().release(ADA);

            assertThat(kinds(tale.history())).contains(Kind.IMPOSSIBLE_STEP);
        }

        @Test
        void a_beginning_that_is_none() {
            tale.wake();

            assertThat(kinds(tale.seen(new ExecutionState.Ready(LeasePurpose.FIRST)).history()))
                    .containsExactly(Kind.IMPOSSIBLE_STEP);
        }

        @Test
        void a_clock_that_goes_back() {
            tale.submit().claim(ADA);
            tale.at = tale.at.minusSeconds(60);
            tale.complete(ADA);

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.TIME_WENT_BACK);
        }

        @Test
        void a_wait_that_was_cut_short() {
            tale.submit().claim(ADA).retry(ADA);
            tale.at = tale.at.minus(Tale.BACKOFF);
            tale.wake().seen(new ExecutionState.Ready(LeasePurpose.RETRY));

            assertThat(kinds(tale.history())).containsExactly(Kind.WOKEN_EARLY);
        }
    }

    @Nested
    class AtTheEnd {
        @Test
        void a_state_that_nothing_led_to() {
            tale.submit().seenCompleted("from nowhere");

            assertThat(kinds(tale.history())).contains(Kind.FINAL_STATE);
        }

        @Test
        void a_count_that_nothing_led_to() {
            tale.submit().claim(ADA).complete(ADA);
            tale.epoch = 5;

            assertThat(kinds(tale.seenCompleted("done").history()))
                    .containsExactly(Kind.FINAL_STATE);
        }

        @Test
        void something_that_the_feed_does_not_know() {
            tale.seen(new ExecutionState.Ready(LeasePurpose.FIRST));

            assertThat(kinds(tale.history())).containsExactly(Kind.FINAL_STATE);
        }

        @Test
        void an_end_at_another_time() {
            tale.submit().cancel(Optional.empty());
            tale.seen(
                    new ExecutionState.Finished(
                            Outcome.CANCELLED, tale.at, AttemptState.PENDING_FIRST_ATTEMPT));

            assertThat(kinds(tale.history())).containsExactly(Kind.FINAL_STATE);
        }

        @Test
        void a_result_that_its_worker_did_not_bring() {
            tale.submit().claim(ADA).complete(ADA).toldCompleted(1, "mine");

            assertThat(kinds(tale.seenCompleted("another").history()))
                    .containsExactly(Kind.WRONG_RESULT);
        }

        @Test
        void a_result_that_no_operator_brought() {
            tale.submit();
            tale.step(
                    Transition.COMPLETE,
                    Situation.COMPLETED,
                    Optional.empty(),
                    Optional.of(Tale.OPERATOR));
            tale.toldDone(new OperatorCommand.Complete(tale.id, Payload.text("mine")));

            assertThat(kinds(tale.seenCompleted("another").history()))
                    .containsExactly(Kind.WRONG_RESULT);
        }
    }

    @Test
    void a_violation_shows_the_whole_history() {
        tale.submit().toldAccepted().claim(ADA).lapse(ADA).claim(BOB).complete(BOB);
        tale.toldCompleted(1, "late").seenCompleted("late");

        assertThatThrownBy(() -> HistoryAssert.assertThat(tale.history()).isSound())
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll(
                        "STALE_WRITE", "SUBMIT", "LAPSE", "RECLAIM", "COMPLETE", "bob", "accepted");
    }
}
