package io.flowfabric.core.state;

import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.StateVector.BlockingReason;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class ExecutionStateTest {

    @Test
    void a_state_can_be_built_when_its_columns_are_a_row_of_the_table_and_only_then() {
        var table = StateTable.vectors();
        for (var candidate : States.candidates()) {
            if (table.containsKey(candidate.columns())) {
                assertThat(candidate.build().get().vector()).hasToString(candidate.columns());
            } else {
                assertRefused(
                        Invalid.Code.IMPOSSIBLE_STATE, "state", () -> candidate.build().get());
            }
        }
    }

    @Test
    void every_state_reads_as_its_row_says() {
        var table = StateTable.vectors();
        for (var state : States.all()) {
            var row = table.get(state.vector().toString());
            assertThat(row).as("%s", state).isNotNull();
            assertThat(state.situation()).as("%s", state).isEqualTo(row.situation());
            assertThat(state.publicState()).as("%s", state).isEqualTo(row.publicState());
            assertThat(state.situation().publicState())
                    .as("%s", state)
                    .isEqualTo(row.publicState());
            assertThat(state.vector().situation()).as("%s", state).isEqualTo(row.situation());
            assertThat(state.vector().attempt()).as("%s", state).isEqualTo(state.attempt());
            assertThat(state.terminal()).as("%s", state).isEqualTo(row.publicState().terminal());
        }
    }

    @Test
    void every_row_of_the_table_is_some_state() {
        assertThat(States.all().stream().map(state -> state.vector().toString()).distinct())
                .containsExactlyInAnyOrderElementsOf(StateTable.vectors().keySet());
    }

    @ParameterizedTest
    @EnumSource
    void what_waits_knows_what_its_next_lease_is_for(LeasePurpose next) {
        var ready = new Ready(next);

        assertThat(ready.next()).isEqualTo(next);
        assertThat(new Granted(next, SESSION, NOON).next()).isEqualTo(next);
        assertThat(new Blocked(BlockedBy.OPERATOR, "because", ready).next()).isEqualTo(next);
    }

    @Test
    void a_block_keeps_the_delay_behind_it() {
        var delay = new Delayed(LeasePurpose.RETRY, NOON, DelayedBy.BACKOFF);
        var paused = new Blocked(BlockedBy.OPERATOR, "because", delay);

        assertThat(paused.behind()).isEqualTo(delay);
        assertThat(paused.next()).isEqualTo(LeasePurpose.RETRY);
        assertThat(paused.situation()).isEqualTo(Situation.HELD_BY_OPERATOR);
    }

    @Test
    void a_delay_is_over_at_its_moment_and_not_before() {
        var delayed = new Delayed(LeasePurpose.RETRY, NOON, DelayedBy.BACKOFF);
        var ready = new Ready(LeasePurpose.RETRY);

        assertThat(delayed.unlessDue(NOON.minusMillis(1))).isEqualTo(delayed);
        assertThat(delayed.unlessDue(NOON)).isEqualTo(ready);
        assertThat(delayed.unlessDue(NOON.plusMillis(1))).isEqualTo(ready);
        assertThat(ready.unlessDue(NOON)).isEqualTo(ready);
    }

    @Test
    void every_queued_state_has_the_attempt_of_its_next_lease() {
        var queued =
                States.all().stream()
                        .filter(Queued.class::isInstance)
                        .map(Queued.class::cast)
                        .collect(Collectors.groupingBy(Queued::next));

        assertThat(queued).containsOnlyKeys(LeasePurpose.values());
        queued.forEach(
                (next, states) ->
                        assertThat(states)
                                .extracting(Queued::attempt)
                                .containsOnly(next.attempt()));
    }

    @Test
    void what_runs_is_running_an_attempt_and_what_is_suspended_interrupted_one() {
        assertThat(new Running(SESSION, NOON).attempt()).isEqualTo(AttemptState.RUNNING_ATTEMPT);
        assertThat(new Suspended(SuspendedFor.STEP_BOUNDARY, NOON, Optional.of(NOON)).attempt())
                .isEqualTo(AttemptState.ATTEMPT_INTERRUPTED);
    }

    @Test
    void a_suspension_has_one_of_seven_reasons() {
        assertThat(SuspendedFor.reasons())
                .containsExactlyInAnyOrder(
                        BlockingReason.WAITING_FOR_SIGNAL,
                        BlockingReason.WAITING_FOR_APPROVAL,
                        BlockingReason.WAITING_FOR_CALLBACK,
                        BlockingReason.WAITING_FOR_TOOL_RESULT,
                        BlockingReason.PAUSED_BY_OPERATOR,
                        BlockingReason.PAUSED_BY_POLICY,
                        BlockingReason.WAITING_FOR_BUDGET);
    }

    @Test
    void what_never_ran_can_be_cancelled_but_not_completed() {
        assertThat(
                        new Finished(Outcome.CANCELLED, NOON, AttemptState.PENDING_FIRST_ATTEMPT)
                                .attempt())
                .isEqualTo(AttemptState.PENDING_FIRST_ATTEMPT);
        assertRefused(
                Invalid.Code.IMPOSSIBLE_STATE,
                "state",
                () -> new Finished(Outcome.SUCCESS, NOON, AttemptState.PENDING_FIRST_ATTEMPT));
    }

    @ParameterizedTest
    @CsvSource({
        "FIRST, true, false, CLAIM, REDEEM",
        "RETRY, true, true, CLAIM, REDEEM",
        "REPLAY, true, true, CLAIM, REDEEM",
        "CONTINUE, false, true, CLAIM, REDEEM",
        "RECLAIM, false, true, RECLAIM, RECLAIM"
    })
    void the_next_lease_says_whether_it_starts_an_attempt_and_how_it_is_claimed(
            LeasePurpose next,
            boolean startsAttempt,
            boolean begun,
            Transition claim,
            Transition redeem) {
        assertThat(next.startsAttempt()).isEqualTo(startsAttempt);
        assertThat(next.begun()).isEqualTo(begun);
        assertThat(next.claim()).isEqualTo(claim);
        assertThat(next.redeem()).isEqualTo(redeem);
    }

    @Test
    void an_attempt_that_was_started_ends_with_its_execution() {
        for (var outcome : Outcome.values()) {
            for (var before : AttemptState.values()) {
                assertThat(outcome.attemptAtTheEnd(true, before))
                        .isEqualTo(AttemptState.ATTEMPT_TERMINAL);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "SUCCESS, PENDING_FIRST_ATTEMPT, ATTEMPT_TERMINAL",
        "FAILED, PENDING_FIRST_ATTEMPT, ATTEMPT_TERMINAL",
        "CANCELLED, PENDING_FIRST_ATTEMPT, PENDING_FIRST_ATTEMPT",
        "CANCELLED, PENDING_REPLAY_ATTEMPT, PENDING_REPLAY_ATTEMPT",
        "EXPIRED, PENDING_FIRST_ATTEMPT, PENDING_FIRST_ATTEMPT",
        "EXPIRED, PENDING_REPLAY_ATTEMPT, PENDING_REPLAY_ATTEMPT",
        "SKIPPED, PENDING_FIRST_ATTEMPT, NONE",
        "SKIPPED, PENDING_REPLAY_ATTEMPT, NONE"
    })
    void what_never_started_an_attempt_ends_without_one(
            Outcome outcome, AttemptState before, AttemptState after) {
        assertThat(outcome.attemptAtTheEnd(false, before)).isEqualTo(after);
        assertThat(new Finished(outcome, NOON, after).terminal()).isTrue();
    }

    @Test
    void an_outcome_is_a_situation() {
        assertThat(Stream.of(Outcome.values()).map(Outcome::situation))
                .containsExactly(
                        Situation.COMPLETED,
                        Situation.FAILED,
                        Situation.CANCELLED,
                        Situation.EXPIRED,
                        Situation.SKIPPED);
    }

    @Test
    void the_words_on_the_wire_never_change() {
        assertThat(Stream.of(Outcome.values()).map(Outcome::wire))
                .containsExactly("success", "failed", "cancelled", "expired", "skipped");
        assertThat(Stream.of(SuspendedFor.values()).map(SuspendedFor::wire))
                .containsExactly(
                        "waiting_for_signal",
                        "waiting_for_approval",
                        "waiting_for_callback",
                        "waiting_for_tool_result",
                        "waiting_for_operator_review",
                        "paused_by_policy",
                        "paused_by_budget",
                        "step_boundary",
                        "manual_pause");
    }
}
