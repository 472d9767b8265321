package io.flowfabric.core.state;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.state.ExecutionState.Ready;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class TransitionTest {
    /** One state for each situation. */
    private static final Map<Situation, ExecutionState> EXAMPLES =
            States.all().stream()
                    .collect(
                            Collectors.toMap(
                                    ExecutionState::situation,
                                    Function.identity(),
                                    (one, another) -> one));

    private static final Set<Situation> LIVE =
            EnumSet.of(
                    Situation.READY,
                    Situation.DELAYED,
                    Situation.BACKING_OFF,
                    Situation.RESUMING_LATER,
                    Situation.AWAITING_CHILDREN,
                    Situation.HELD_BY_OPERATOR,
                    Situation.GRANTED,
                    Situation.RUNNING,
                    Situation.SUSPENDED);

    private static final Set<Situation> ENDS =
            EnumSet.of(
                    Situation.COMPLETED,
                    Situation.FAILED,
                    Situation.CANCELLED,
                    Situation.EXPIRED,
                    Situation.SKIPPED);

    @ParameterizedTest
    @EnumSource
    void a_step_that_is_not_in_the_table_is_refused(Transition transition) {
        for (var before : EXAMPLES.values()) {
            for (var after : EXAMPLES.values()) {
                var from = before.situation();
                if (transition.endsFrom(from).contains(after.situation())) {
                    assertThat(transition.check(before, after)).isSameAs(after);
                } else {
                    assertRefused(
                            Invalid.Code.IMPOSSIBLE_STATE,
                            "transition",
                            () -> transition.check(before, after));
                }
            }
        }
    }

    @Test
    void there_is_an_example_of_every_situation() {
        assertThat(EXAMPLES).containsOnlyKeys(Situation.values());
    }

    @Test
    void what_is_only_seen_is_never_written() {
        for (var transition : Transition.values()) {
            assertThat(transition.starts()).noneMatch(Situation::onlySeen);
            for (var from : Situation.values()) {
                assertThat(transition.endsFrom(from)).noneMatch(Situation::onlySeen);
            }
        }
    }

    @Test
    void work_begins_ready_or_waiting_for_a_time_or_for_other_work() {
        assertThat(Transition.begins())
                .containsExactlyInAnyOrder(
                        Situation.READY, Situation.DELAYED, Situation.AWAITING_CHILDREN);
    }

    @Test
    void everything_that_is_written_can_be_reached_from_nothing() {
        assertThat(reachable(EnumSet.copyOf(States.BEGINNINGS)))
                .containsExactlyInAnyOrderElementsOf(union(LIVE, ENDS));
    }

    @ParameterizedTest
    @EnumSource
    void an_end_can_be_reached_from_everything_that_is_written(Situation situation) {
        if (!situation.onlySeen()) {
            assertThat(reachable(Set.of(situation))).containsAnyElementsOf(ENDS);
        }
    }

    @Test
    void an_end_is_final_but_for_a_replay() {
        for (var end : ENDS) {
            assertThat(leaving(end)).containsExactly(Transition.REPLAY);
        }
        assertThat(Transition.REPLAY.starts()).isEqualTo(ENDS);
    }

    @Test
    void whatever_has_not_ended_can_be_completed_failed_cancelled_expired_and_skipped() {
        var outcomes =
                Map.of(
                        Transition.COMPLETE, Situation.COMPLETED,
                        Transition.FAIL, Situation.FAILED,
                        Transition.CANCEL, Situation.CANCELLED,
                        Transition.EXPIRE, Situation.EXPIRED,
                        Transition.SKIP, Situation.SKIPPED);

        outcomes.forEach(
                (transition, end) -> {
                    assertThat(transition.starts()).isEqualTo(LIVE);
                    for (var from : LIVE) {
                        assertThat(transition.endsFrom(from)).containsExactly(end);
                    }
                });
    }

    @Test
    void only_these_steps_give_a_lease_and_only_to_what_is_ready_or_granted() {
        assertThat(Stream.of(Transition.values()).filter(Transition::givesLease))
                .containsExactly(Transition.CLAIM, Transition.RECLAIM, Transition.REDEEM);
        assertThat(Transition.CLAIM.starts()).containsExactly(Situation.READY);
        assertThat(Transition.RECLAIM.starts())
                .containsExactlyInAnyOrder(Situation.READY, Situation.GRANTED);
        assertThat(Transition.REDEEM.starts()).containsExactly(Situation.GRANTED);
        assertThat(entering(Situation.RUNNING))
                .containsExactlyInAnyOrder(
                        Transition.CLAIM,
                        Transition.RECLAIM,
                        Transition.REDEEM,
                        Transition.REPRIORITISE);
    }

    @Test
    void these_steps_leave_a_running_execution() {
        assertThat(leaving(Situation.RUNNING))
                .containsExactlyInAnyOrder(
                        Transition.COMPLETE,
                        Transition.RETRY,
                        Transition.FAIL,
                        Transition.DELAY,
                        Transition.RELEASE,
                        Transition.SUSPEND,
                        Transition.AWAIT,
                        Transition.LAPSE,
                        Transition.REVOKE,
                        Transition.PAUSE,
                        Transition.REPRIORITISE,
                        Transition.CANCEL,
                        Transition.EXPIRE,
                        Transition.SKIP);
    }

    @Test
    void only_a_change_of_priority_stays_where_it_is_and_only_there() {
        assertThat(Stream.of(Transition.values()).filter(Transition::staysPut))
                .containsExactly(Transition.REPRIORITISE);
        assertThat(Transition.REPRIORITISE.starts()).isEqualTo(LIVE);
        for (var situation : LIVE) {
            assertThat(Transition.REPRIORITISE.endsFrom(situation)).containsExactly(situation);
        }
    }

    @Test
    void an_execution_begins_ready_delayed_or_waiting_for_children() {
        assertThat(States.BEGINNINGS)
                .containsExactlyInAnyOrder(
                        Situation.READY, Situation.DELAYED, Situation.AWAITING_CHILDREN);
        assertThat(Transition.SUBMIT.starts()).isEmpty();
        for (var situation : Situation.values()) {
            assertThat(Transition.SUBMIT.endsFrom(situation)).isEmpty();
        }
    }

    @Test
    void a_beginning_is_returned_as_it_is_and_any_other_is_refused() {
        for (var state : EXAMPLES.values()) {
            if (States.BEGINNINGS.contains(state.situation())) {
                assertThat(Transition.begin(state)).isSameAs(state);
            } else {
                assertRefused(
                        Invalid.Code.IMPOSSIBLE_STATE, "transition", () -> Transition.begin(state));
            }
        }
    }

    @Test
    void a_refusal_names_the_step_and_both_situations() {
        assertThatThrownBy(
                        () ->
                                Transition.LAPSE.check(
                                        new Ready(LeasePurpose.FIRST),
                                        new Ready(LeasePurpose.RECLAIM)))
                .hasMessage("transition: LAPSE does not lead from READY to READY.");
    }

    @Test
    void the_names_on_the_wire_never_change() {
        assertThat(Stream.of(Transition.values()).map(Transition::wire))
                .containsExactly(
                        "submit",
                        "wake",
                        "claim",
                        "reclaim",
                        "grant",
                        "redeem",
                        "forfeit",
                        "complete",
                        "retry",
                        "fail",
                        "delay",
                        "release",
                        "suspend",
                        "await",
                        "lapse",
                        "revoke",
                        "escalate",
                        "resume",
                        "satisfy",
                        "pause",
                        "reprioritise",
                        "cancel",
                        "expire",
                        "skip",
                        "replay");
    }

    private static Set<Situation> reachable(Set<Situation> from) {
        var seen = EnumSet.copyOf(from);
        var todo = new ArrayDeque<>(from);
        while (!todo.isEmpty()) {
            var situation = todo.remove();
            for (var transition : Transition.values()) {
                for (var next : transition.endsFrom(situation)) {
                    if (seen.add(next)) {
                        todo.add(next);
                    }
                }
            }
        }
        return seen;
    }

    private static Stream<Transition> leaving(Situation situation) {
        return Stream.of(Transition.values())
                .filter(transition -> transition.starts().contains(situation));
    }

    private static Stream<Transition> entering(Situation situation) {
        return Stream.of(Transition.values())
                .filter(
                        transition ->
                                Stream.of(Situation.values())
                                        .anyMatch(
                                                from ->
                                                        transition
                                                                .endsFrom(from)
                                                                .contains(situation)));
    }

    private static Set<Situation> union(Set<Situation> one, Set<Situation> other) {
        var union = EnumSet.copyOf(one);
        union.addAll(other);
        return union;
    }
}
