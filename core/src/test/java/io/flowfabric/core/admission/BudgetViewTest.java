package io.flowfabric.core.admission;

import static io.flowfabric.core.Examples.NOON;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetView.Level;

import org.junit.jupiter.api.Test;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

class BudgetViewTest {
    private static final Budget TOKENS = Budget.of("team", "tokens", 10_000);
    private static final Budget TOKENS_AND_CENTS = TOKENS.bounds("cents", Bounds.hard(50));
    private static final Map<String, Long> NOTHING = Map.of();

    private static BudgetView view(Budget budget, Map<String, Level> levels) {
        return new BudgetView(budget, new TreeMap<>(levels), Optional.empty());
    }

    private static BudgetView resetting(Budget budget, Map<String, Level> levels) {
        return new BudgetView(budget, new TreeMap<>(levels), Optional.of(NOON));
    }

    private static BudgetView tokens(long used, long held) {
        return view(TOKENS, Map.of("tokens", new Level(used, held)));
    }

    private static Map<String, Long> reserve(long tokens) {
        return Map.of("tokens", tokens);
    }

    @Test
    void what_was_never_drawn_on_stands_at_zero() {
        assertThat(view(TOKENS_AND_CENTS, Map.of("tokens", new Level(3, 4))).levels())
                .isEqualTo(Map.of("cents", Level.ZERO, "tokens", new Level(3, 4)));
    }

    @Test
    void nobody_can_change_how_it_stands() {
        var levels = new TreeMap<>(Map.of("tokens", new Level(3, 4)));
        var view = new BudgetView(TOKENS, levels, Optional.empty());
        levels.put("tokens", Level.ZERO);

        assertThat(view.levels()).containsEntry("tokens", new Level(3, 4));
        assertThatThrownBy(() -> view.levels().clear())
                .isInstanceOf(UnsupportedOperationException.class);
    }

    @Test
    void a_limit_is_breached_by_what_is_used_once_it_is_reached() {
        assertThat(tokens(9_999, 0).breached()).isFalse();
        assertThat(tokens(9_999, 0).breach()).isEmpty();
        assertThat(tokens(10_000, 0).breached()).isTrue();
        assertThat(tokens(10_000, 0).breach()).contains("budget team: tokens 10,000 of 10,000");
        assertThat(tokens(12_345, 0).breach()).contains("budget team: tokens 12,345 of 10,000");
    }

    @Test
    void what_is_only_set_aside_breaches_nothing() {
        assertThat(tokens(0, 10_000).breached()).isFalse();
        assertThat(tokens(0, 10_000).breach()).isEmpty();
    }

    @Test
    void one_dimension_of_several_is_enough_for_a_breach() {
        var view =
                view(
                        TOKENS_AND_CENTS,
                        Map.of("cents", new Level(49, 0), "tokens", new Level(10_000, 0)));

        assertThat(view.breached()).isTrue();
        assertThat(view.breach()).contains("budget team: tokens 10,000 of 10,000");
    }

    @Test
    void a_dimension_without_a_hard_limit_is_counted_and_holds_nothing_back() {
        var onlySoft = new Bounds(Optional.of(5L), Optional.empty());
        var view = view(TOKENS.bounds("calls", onlySoft), Map.of("calls", new Level(1_000_000, 7)));

        assertThat(view.breached()).isFalse();
        assertThat(view.open(Map.of("calls", 1_000_000L))).isTrue();
        assertThat(view.inWords())
                .isEqualTo("budget team: calls 1,000,000 used, tokens 0 of 10,000 used");
    }

    @Test
    void there_is_room_as_long_as_the_sum_of_used_set_aside_and_needed_is_within_the_limit() {
        assertThat(tokens(4_000, 3_000).open(reserve(3_000))).isTrue();
        assertThat(tokens(4_000, 3_000).open(reserve(3_001))).isFalse();
        assertThat(tokens(4_001, 3_000).open(reserve(3_000))).isFalse();
        assertThat(tokens(4_000, 3_001).open(reserve(3_000))).isFalse();
    }

    @Test
    void work_that_sets_nothing_aside_starts_until_the_limit_is_reached() {
        assertThat(tokens(9_999, 1).open(NOTHING)).isTrue();
        assertThat(tokens(9_999, 1).open(Map.of("cents", 1_000L)))
                .as("what the budget does not count")
                .isTrue();
        assertThat(tokens(10_000, 0).open(NOTHING)).isFalse();
    }

    @Test
    void what_stands_in_the_way_is_told_with_all_its_numbers() {
        assertThat(tokens(4_000, 3_000).obstacle(reserve(3_000))).isEmpty();
        assertThat(tokens(4_000, 3_000).obstacle(reserve(3_001)))
                .contains(
                        "budget team: tokens 4,000 of 10,000 used, 3,000 set aside, 3,001 needed");
        assertThat(tokens(10_000, 3_000).obstacle(reserve(1)))
                .as("what is set aside does not matter any more")
                .contains("budget team: tokens 10,000 of 10,000");
    }

    @Test
    void the_end_of_the_period_is_told_with_what_stands_in_the_way() {
        assertThat(resetting(TOKENS, Map.of("tokens", new Level(10_000, 0))).obstacle(NOTHING))
                .contains("budget team: tokens 10,000 of 10,000, resets at " + NOON);
        assertThat(resetting(TOKENS, Map.of("tokens", new Level(9_999, 0))).obstacle(reserve(2)))
                .contains(
                        "budget team: tokens 9,999 of 10,000 used, 0 set aside, 2 needed, resets"
                                + " at "
                                + NOON);
    }

    @Test
    void a_budget_that_only_warns_stands_in_nobodys_way() {
        var warning = Map.of("tokens", new Level(10_000, 0));

        assertThat(view(TOKENS.enforcement(Enforcement.WARN), warning).breached()).isTrue();
        assertThat(view(TOKENS.enforcement(Enforcement.WARN), warning).open(reserve(1))).isTrue();
        assertThat(view(TOKENS.enforcement(Enforcement.WARN), warning).shut(reserve(1))).isEmpty();
        assertThat(view(TOKENS.enforcement(Enforcement.CANCEL), warning).open(reserve(1)))
                .isFalse();
        assertThat(view(TOKENS.enforcement(Enforcement.CANCEL), warning).shut(reserve(1)))
                .isNotEmpty();
    }

    @Test
    void those_dimensions_are_shut_of_which_too_little_is_left() {
        var view =
                view(
                        TOKENS_AND_CENTS,
                        Map.of("cents", new Level(40, 5), "tokens", new Level(9_000, 0)));

        assertThat(view.shut(Map.of("cents", 5L, "tokens", 1_000L))).isEmpty();
        assertThat(view.shut(Map.of("cents", 6L, "tokens", 1_000L)))
                .containsExactly(new AdmissionBlock.Budget("cents"));
        assertThat(view.shut(Map.of("cents", 6L, "tokens", 1_001L)))
                .containsExactly(
                        new AdmissionBlock.Budget("cents"), new AdmissionBlock.Budget("tokens"));
    }

    @Test
    void it_opens_with_its_next_period_when_only_what_was_used_stands_in_the_way() {
        var used = resetting(TOKENS, Map.of("tokens", new Level(10_000, 4_000)));

        assertThat(used.opens(reserve(6_000))).contains(NOON);
        assertThat(used.opens(reserve(6_001))).as("what runs goes on being set aside").isEmpty();
        assertThat(tokens(10_000, 0).opens(NOTHING)).as("it has no period").isEmpty();
    }

    @Test
    void words_about_it_say_how_much_of_everything_is_used() {
        assertThat(
                        view(
                                        TOKENS_AND_CENTS,
                                        Map.of(
                                                "cents",
                                                new Level(7, 0),
                                                "tokens",
                                                new Level(1_234, 99)))
                                .inWords())
                .isEqualTo("budget team: cents 7 of 50 used, tokens 1,234 of 10,000 used");
    }
}
