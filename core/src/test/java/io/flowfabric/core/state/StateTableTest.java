package io.flowfabric.core.state;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.state.StateVector.Eligibility;
import io.flowfabric.core.state.StateVector.Ownership;
import io.flowfabric.core.state.StateVector.Phase;
import io.flowfabric.core.state.StateVector.TerminalOutcome;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

class StateTableTest {

    /** Six columns that need not fit each other. */
    private record Columns(
            Phase phase,
            Ownership ownership,
            Eligibility eligibility,
            BlockingReason reason,
            TerminalOutcome outcome,
            AttemptState attempt) {

        String text() {
            return Stream.of(phase, ownership, eligibility, reason, outcome, attempt)
                    .map(word -> word.name().toLowerCase(Locale.ROOT))
                    .collect(Collectors.joining("/"));
        }

        StateVector vector() {
            return new StateVector(phase, ownership, eligibility, reason, outcome, attempt);
        }

        Optional<Situation> situation() {
            return Situation.of(phase, ownership, eligibility, reason, outcome, attempt);
        }
    }

    @Test
    void of_all_combinations_exactly_the_rows_of_the_table_can_be_built() {
        var all = everyCombination();
        assertThat(all).hasSize(4 * 3 * 9 * 15 * 6 * 7);

        var buildable = new ArrayList<String>();
        for (var columns : all) {
            try {
                assertThat(columns.vector()).hasToString(columns.text());
                buildable.add(columns.text());
            } catch (Invalid refusal) {
                assertThat(refusal.code()).isEqualTo(Invalid.Code.IMPOSSIBLE_STATE);
                assertThat(refusal.field()).isEqualTo("state vector");
            }
        }

        assertThat(buildable).containsExactlyInAnyOrderElementsOf(StateTable.vectors().keySet());
    }

    @Test
    void every_combination_has_the_situation_of_its_row_or_none() {
        var table = StateTable.vectors();
        for (var columns : everyCombination()) {
            var expected = Optional.ofNullable(table.get(columns.text()));
            if (!columns.situation().equals(expected.map(StateTable.Row::situation))) {
                assertThat(columns.situation())
                        .as(columns.text())
                        .isEqualTo(expected.map(StateTable.Row::situation));
            }
        }
    }

    @Test
    void every_row_reads_as_one_situation_and_one_public_state() {
        StateTable.vectors()
                .forEach(
                        (text, row) -> {
                            var vector = StateVector.parse(text);
                            assertThat(vector.situation()).as(text).isEqualTo(row.situation());
                            assertThat(vector.publicState()).as(text).isEqualTo(row.publicState());
                            assertThat(vector).hasToString(text);
                        });
    }

    @Test
    void every_situation_is_a_row_of_the_table() {
        assertThat(StateTable.vectors().values().stream().map(StateTable.Row::situation).distinct())
                .containsExactlyInAnyOrder(Situation.values());
    }

    // The invariants of the original, each checked against the table itself.
    @Test
    void the_table_keeps_the_invariants() {
        for (var text : StateTable.vectors().keySet()) {
            var vector = StateVector.parse(text);
            boolean active = vector.phase() == Phase.ACTIVE;
            boolean runnable = vector.phase() == Phase.RUNNABLE;
            boolean terminal = vector.phase() == Phase.TERMINAL;

            assertThat(vector.ownership() == Ownership.LEASED)
                    .as("only active work is leased, and all of it: %s", text)
                    .isEqualTo(active);
            assertThat(vector.attempt() == AttemptState.RUNNING_ATTEMPT)
                    .as("an attempt runs when its execution does: %s", text)
                    .isEqualTo(active);
            assertThat(vector.outcome() != TerminalOutcome.NONE)
                    .as("what has ended has an outcome, and nothing else has: %s", text)
                    .isEqualTo(terminal);
            assertThat(vector.eligibility() != Eligibility.NOT_APPLICABLE)
                    .as("only what waits in a queue can be eligible: %s", text)
                    .isEqualTo(runnable);
            assertThat(vector.situation().terminal()).as(text).isEqualTo(terminal);
            assertThat(vector.publicState().terminal()).as(text).isEqualTo(terminal);
        }
    }

    @Test
    void four_situations_are_only_seen_and_never_stored() {
        assertThat(Stream.of(Situation.values()).filter(Situation::onlySeen))
                .containsExactlyInAnyOrder(
                        Situation.SHORT_OF_BUDGET,
                        Situation.OVER_QUOTA,
                        Situation.WITHOUT_WORKER,
                        Situation.LANE_CLOSED);
    }

    @Test
    void what_is_queued_has_neither_a_lease_nor_an_end_nor_a_suspension() {
        assertThat(Stream.of(Situation.values()).filter(situation -> !situation.queued()))
                .containsExactlyInAnyOrder(
                        Situation.RUNNING,
                        Situation.SUSPENDED,
                        Situation.COMPLETED,
                        Situation.FAILED,
                        Situation.CANCELLED,
                        Situation.EXPIRED,
                        Situation.SKIPPED);
    }

    @Test
    void a_situation_has_one_reason_to_wait_and_only_a_suspension_has_a_choice() {
        assertThat(Situation.OVER_QUOTA.reasons())
                .containsExactly(StateVector.BlockingReason.WAITING_FOR_QUOTA);
        assertThat(Situation.RUNNING.reasons()).containsExactly(StateVector.BlockingReason.NONE);
        assertThat(Stream.of(Situation.values()).filter(one -> one.reasons().size() != 1))
                .containsExactly(Situation.SUSPENDED);
    }

    @Test
    void five_situations_are_ends() {
        assertThat(Stream.of(Situation.values()).filter(Situation::terminal))
                .containsExactlyInAnyOrder(
                        Situation.COMPLETED,
                        Situation.FAILED,
                        Situation.CANCELLED,
                        Situation.EXPIRED,
                        Situation.SKIPPED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "/////",
                "runnable",
                "runnable/unowned/eligible_now/waiting_for_worker/none",
                "runnable/unowned/eligible_now/waiting_for_worker/none/pending_first_attempt/",
                "/runnable/unowned/eligible_now/waiting_for_worker/none/pending_first_attempt",
                "RUNNABLE/unowned/eligible_now/waiting_for_worker/none/pending_first_attempt",
                "runnable /unowned/eligible_now/waiting_for_worker/none/pending_first_attempt",
                "runnable/unowned/eligible_now/waiting_for_worker/none/pending_first_attempt\n",
                "submitted/unowned/not_applicable/none/none/none",
                "active/lease_revoked/not_applicable/waiting_for_worker/none/attempt_interrupted",
                "runnable/unowned/eligible_now/waiting_for_locality_match/none/pending_first_attempt"
            })
    void a_text_that_is_not_six_known_words_is_refused(String text) {
        assertRefused(Invalid.Code.MALFORMED_VECTOR, "state vector", () -> StateVector.parse(text));
    }

    @Test
    void six_known_words_that_do_not_fit_each_other_are_refused() {
        assertRefused(
                Invalid.Code.IMPOSSIBLE_STATE,
                "state vector",
                () -> StateVector.parse("active/unowned/not_applicable/none/none/running_attempt"));
    }

    private static List<Columns> everyCombination() {
        var all = new ArrayList<Columns>();
        for (var phase : EnumSet.allOf(Phase.class)) {
            for (var ownership : EnumSet.allOf(Ownership.class)) {
                for (var eligibility : EnumSet.allOf(Eligibility.class)) {
                    for (var reason : EnumSet.allOf(BlockingReason.class)) {
                        for (var outcome : EnumSet.allOf(TerminalOutcome.class)) {
                            for (var attempt : EnumSet.allOf(AttemptState.class)) {
                                all.add(
                                        new Columns(
                                                phase,
                                                ownership,
                                                eligibility,
                                                reason,
                                                outcome,
                                                attempt));
                            }
                        }
                    }
                }
            }
        }
        return all;
    }
}
