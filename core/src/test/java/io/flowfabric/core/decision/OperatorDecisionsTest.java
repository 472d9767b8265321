package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.FAILURE;
import static io.flowfabric.core.Examples.ID;
import static io.flowfabric.core.Examples.NOON;
import static io.flowfabric.core.Examples.SESSION;
import static io.flowfabric.core.decision.Given.DELAYED;
import static io.flowfabric.core.decision.Given.RUNNING;
import static io.flowfabric.core.decision.Given.ended;
import static io.flowfabric.core.decision.Given.facts;
import static io.flowfabric.core.decision.Given.untouched;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

class OperatorDecisionsTest {
    private static final Lane LANE = Lane.of("emails");
    private static final Session WORKER = Session.of("mailer", "mailer-1", "emails");
    private static final Attribution ADA = new Attribution("ada", "because");
    private static final List<ExecutionState> NOT_FOR_PAUSING =
            List.of(
                    new Blocked(BlockedBy.BUDGET, "", new Ready(LeasePurpose.FIRST)),
                    new Suspended(SuspendedFor.WAITING_FOR_SIGNAL, NOON, Optional.empty()));

    private static final ExecutionState GRANTED = new Granted(LeasePurpose.RETRY, SESSION, NOON);

    private static Optional<Change> act(OperatorCommand act, ExecutionState state) {
        return OperatorDecisions.act(act, ADA, facts(state), NOON);
    }

    private static Change change(OperatorCommand act, ExecutionState state) {
        return act(act, state).orElseThrow();
    }

    private static void assertConflict(Conflict.Code code, OperatorCommand act, Facts facts) {
        assertThatThrownBy(() -> OperatorDecisions.act(act, ADA, facts, NOON))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        conflict -> {
                            assertThat(conflict.code()).isEqualTo(code);
                            assertThat(conflict.existing()).isEqualTo(ID.toString());
                        })
                .hasMessageContaining(facts.state().publicState().wire());
    }

    @Test
    void every_change_names_who_made_it_and_keeps_what_it_is_not_about() {
        var change = change(new OperatorCommand.Cancel(ID), RUNNING);

        assertThat(change.by()).contains(ADA);
        assertThat(change)
                .extracting(Change::priority, Change::retries, Change::reclaims, Change::replays)
                .containsExactly(7, 1, 3, 4);
        assertThat(change.failure()).isEmpty();
        assertThat(change.result()).isEmpty();
    }

    @Test
    void cancelling_ends_what_runs_and_what_waits() {
        assertThat(change(new OperatorCommand.Cancel(ID), RUNNING).after())
                .isEqualTo(ended(Outcome.CANCELLED));
        assertThat(change(new OperatorCommand.Cancel(ID), DELAYED).transition())
                .isEqualTo(Transition.CANCEL);
        assertThat(
                        OperatorDecisions.act(
                                        new OperatorCommand.Cancel(ID),
                                        ADA,
                                        untouched(new Ready(LeasePurpose.FIRST)),
                                        NOON)
                                .orElseThrow()
                                .after())
                .isEqualTo(
                        new Finished(Outcome.CANCELLED, NOON, AttemptState.PENDING_FIRST_ATTEMPT));
    }

    @Test
    void asking_for_the_end_that_it_had_changes_nothing_and_for_another_is_a_conflict() {
        assertThat(act(new OperatorCommand.Cancel(ID), ended(Outcome.CANCELLED))).isEmpty();
        assertThat(act(new OperatorCommand.Complete(ID, Payload.EMPTY), ended(Outcome.SUCCESS)))
                .isEmpty();
        assertThat(act(new OperatorCommand.Fail(ID, FAILURE), ended(Outcome.FAILED))).isEmpty();
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                new OperatorCommand.Cancel(ID),
                facts(ended(Outcome.SUCCESS)));
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                new OperatorCommand.Fail(ID, FAILURE),
                facts(ended(Outcome.CANCELLED)));
    }

    @Test
    void completing_brings_a_result_and_failing_a_failure() {
        var complete = change(new OperatorCommand.Complete(ID, Payload.text("done")), DELAYED);
        var fail = change(new OperatorCommand.Fail(ID, FAILURE), RUNNING);

        assertThat(complete.after()).isEqualTo(ended(Outcome.SUCCESS));
        assertThat(complete.transition()).isEqualTo(Transition.COMPLETE);
        assertThat(complete.result()).contains(Payload.text("done"));
        assertThat(fail.after()).isEqualTo(ended(Outcome.FAILED));
        assertThat(fail.transition()).isEqualTo(Transition.FAIL);
        assertThat(fail.failure()).contains(FAILURE);
    }

    @Test
    void pausing_keeps_what_it_was_waiting_for_and_takes_running_work_from_its_worker() {
        assertThat(change(new OperatorCommand.Pause(ID), DELAYED).after())
                .isEqualTo(new Blocked(BlockedBy.OPERATOR, "because", DELAYED));
        assertThat(
                        change(new OperatorCommand.Pause(ID), new Ready(LeasePurpose.RETRY))
                                .transition())
                .isEqualTo(Transition.PAUSE);
        assertThat(change(new OperatorCommand.Pause(ID), RUNNING).after())
                .isEqualTo(
                        new Blocked(
                                BlockedBy.OPERATOR, "because", new Ready(LeasePurpose.RECLAIM)));
        assertThat(change(new OperatorCommand.Pause(ID), GRANTED).after())
                .isEqualTo(
                        new Blocked(BlockedBy.OPERATOR, "because", new Ready(LeasePurpose.RETRY)));
    }

    @Test
    void revoking_withdraws_a_grant_and_nothing_is_lost_by_it() {
        var withdrawn = change(new OperatorCommand.Revoke(ID), GRANTED);

        assertThat(withdrawn.transition()).isEqualTo(Transition.FORFEIT);
        assertThat(withdrawn.after()).isEqualTo(new Ready(LeasePurpose.RETRY));
        assertThat(withdrawn.by()).contains(ADA);
        assertConflict(Conflict.Code.NOT_WAITING, new OperatorCommand.Resume(ID), facts(GRANTED));
    }

    @Test
    void pausing_what_is_paused_changes_nothing() {
        assertThat(act(new OperatorCommand.Pause(ID), new Blocked(BlockedBy.OPERATOR, "", DELAYED)))
                .isEmpty();
    }

    @Test
    void pausing_does_not_apply_to_other_waits_nor_to_what_has_ended() {
        for (ExecutionState state : NOT_FOR_PAUSING) {
            assertConflict(Conflict.Code.NOT_WAITING, new OperatorCommand.Pause(ID), facts(state));
            if (!(state instanceof ExecutionState.Suspended)) {
                assertConflict(
                        Conflict.Code.NOT_WAITING, new OperatorCommand.Resume(ID), facts(state));
            }
        }
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                new OperatorCommand.Pause(ID),
                facts(ended(Outcome.FAILED)));
    }

    @Test
    void resuming_lifts_a_pause_first_and_a_delay_next() {
        var held = new Blocked(BlockedBy.OPERATOR, "", DELAYED);

        assertThat(change(new OperatorCommand.Resume(ID), held).after()).isEqualTo(DELAYED);
        assertThat(change(new OperatorCommand.Resume(ID), DELAYED).after())
                .isEqualTo(new Ready(LeasePurpose.CONTINUE));
        assertThat(change(new OperatorCommand.Resume(ID), DELAYED).transition())
                .isEqualTo(Transition.RESUME);
    }

    @Test
    void a_delay_that_ended_during_the_pause_is_over() {
        var held = new Blocked(BlockedBy.OPERATOR, "", DELAYED);
        var facts = facts(held);

        assertThat(
                        OperatorDecisions.act(
                                        new OperatorCommand.Resume(ID), ADA, facts, DELAYED.until())
                                .orElseThrow()
                                .after())
                .isEqualTo(new Ready(LeasePurpose.CONTINUE));
    }

    @Test
    void resuming_what_waits_for_nothing_is_a_conflict() {
        assertConflict(Conflict.Code.NOT_WAITING, new OperatorCommand.Resume(ID), facts(RUNNING));
        assertConflict(
                Conflict.Code.NOT_WAITING,
                new OperatorCommand.Resume(ID),
                facts(new Ready(LeasePurpose.FIRST)));
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                new OperatorCommand.Resume(ID),
                facts(ended(Outcome.EXPIRED)));
    }

    @Test
    void revoking_returns_the_work_without_counting_a_crash() {
        var change = change(new OperatorCommand.Revoke(ID), RUNNING);

        assertThat(change.after()).isEqualTo(new Ready(LeasePurpose.RECLAIM));
        assertThat(change.transition()).isEqualTo(Transition.REVOKE);
        assertThat(change.reclaims()).isEqualTo(3);
        assertThat(act(new OperatorCommand.Revoke(ID), DELAYED)).isEmpty();
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                new OperatorCommand.Revoke(ID),
                facts(ended(Outcome.SUCCESS)));
    }

    @Test
    void reprioritising_changes_the_priority_and_nothing_else() {
        var change = change(new OperatorCommand.Reprioritise(ID, 8), RUNNING);

        assertThat(change.after()).isEqualTo(RUNNING);
        assertThat(change.priority()).isEqualTo(8);
        assertThat(change.transition()).isEqualTo(Transition.REPRIORITISE);
        assertThat(act(new OperatorCommand.Reprioritise(ID, 7), RUNNING)).isEmpty();
        assertConflict(
                Conflict.Code.ALREADY_FINISHED,
                new OperatorCommand.Reprioritise(ID, 8),
                facts(ended(Outcome.SUCCESS)));
    }

    @Test
    void a_replay_gives_all_chances_back_but_counts_itself() {
        var change = change(new OperatorCommand.Replay(ID), ended(Outcome.FAILED));

        assertThat(change.after()).isEqualTo(new Ready(LeasePurpose.REPLAY));
        assertThat(change.transition()).isEqualTo(Transition.REPLAY);
        assertThat(change)
                .extracting(Change::retries, Change::reclaims, Change::replays)
                .containsExactly(0, 0, 5);
        assertThat(change.fresh()).as("steps are kept").isFalse();
    }

    @Test
    void a_fresh_replay_clears_what_was_recorded() {
        var change = change(new OperatorCommand.Replay(ID, true), ended(Outcome.FAILED));

        assertThat(change.fresh()).isTrue();
        assertThat(change.by()).contains(ADA);
        assertThat(change.replays()).isEqualTo(5);
    }

    @Test
    void a_replay_needs_an_end_and_room_in_the_policy() {
        assertConflict(Conflict.Code.NOT_FINISHED, new OperatorCommand.Replay(ID), facts(RUNNING));
        assertConflict(
                Conflict.Code.REPLAYS_EXHAUSTED,
                new OperatorCommand.Replay(ID),
                facts(ended(Outcome.FAILED), Policy.DEFAULT.maxReplays(4)));
        assertThat(
                        OperatorDecisions.act(
                                new OperatorCommand.Replay(ID),
                                ADA,
                                facts(ended(Outcome.FAILED), Policy.DEFAULT.maxReplays(5)),
                                NOON))
                .isPresent();
    }

    @Test
    void only_ready_work_that_has_not_expired_can_be_claimed_by_id() {
        OperatorDecisions.mustBeClaimable(facts(new Ready(LeasePurpose.FIRST)), NOON, LANE, WORKER);
        assertNotClaimable(
                Conflict.Code.NOT_CLAIMABLE,
                facts(new Ready(LeasePurpose.FIRST), Policy.DEFAULT, Optional.of(NOON)));
        assertNotClaimable(Conflict.Code.NOT_CLAIMABLE, facts(DELAYED));
        assertNotClaimable(Conflict.Code.ALREADY_FINISHED, facts(ended(Outcome.SUCCESS)));
    }

    // R24
    @Test
    void
            work_of_another_namespace_is_not_leased_to_a_worker_by_hand_and_the_refusal_says_what_to_do() {
        var facts = facts(new Ready(LeasePurpose.FIRST));
        var stranger = WORKER.namespace(new Namespace("elsewhere"));

        assertThatThrownBy(() -> OperatorDecisions.mustBeClaimable(facts, NOON, LANE, stranger))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        conflict ->
                                assertThat(conflict.code())
                                        .isEqualTo(Conflict.Code.OTHER_NAMESPACE))
                .hasMessage(
                        "%s: It belongs to the namespace default, and the session %s to elsewhere:"
                                + " name a session of default.",
                        ID, stranger.id());
    }

    @Test
    void budgets_and_quotas_bind_operators_as_well() {
        var full = quota(3);

        OperatorDecisions.mustBeAdmitted(ID, Optional.empty(), Stream.of(quota(2)));
        assertNotAdmitted("budget team: spent", Optional.of("budget team: spent"), full);
        assertNotAdmitted("quota calls: 3 of 3 running", Optional.empty(), full);
    }

    private static QuotaView quota(int running) {
        return new QuotaView(
                Quota.atOnce("calls", 3), QuotaUse.of("calls"), running, 0, Optional.empty());
    }

    private static void assertNotAdmitted(
            String why, Optional<String> shortage, QuotaView... quotas) {
        assertThatThrownBy(() -> OperatorDecisions.mustBeAdmitted(ID, shortage, Stream.of(quotas)))
                .isInstanceOfSatisfying(
                        Conflict.class,
                        conflict ->
                                assertThat(conflict.code()).isEqualTo(Conflict.Code.NOT_CLAIMABLE))
                .hasMessageContaining(why);
    }

    @Test
    void only_what_has_ended_can_be_erased() {
        for (Outcome outcome : Outcome.values()) {
            OperatorDecisions.mustBeErasable(facts(ended(outcome)));
        }
        for (ExecutionState state : List.of(new Ready(LeasePurpose.FIRST), DELAYED, RUNNING)) {
            assertThatThrownBy(() -> OperatorDecisions.mustBeErasable(facts(state)))
                    .isInstanceOfSatisfying(
                            Conflict.class,
                            conflict ->
                                    assertThat(conflict.code())
                                            .isEqualTo(Conflict.Code.NOT_FINISHED));
        }
    }

    private static void assertNotClaimable(Conflict.Code code, Facts facts) {
        assertThatThrownBy(() -> OperatorDecisions.mustBeClaimable(facts, NOON, LANE, WORKER))
                .isInstanceOfSatisfying(
                        Conflict.class, conflict -> assertThat(conflict.code()).isEqualTo(code));
    }
}
