package io.flowfabric.core.operate;

import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Components;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

class LaneSettingsTest {
    private static final long NOON = 1_772_366_400_000L;
    private static final LaneSettings STRICT = LaneSettings.DEFAULT;
    private static final LaneSettings AGEING = STRICT.ageing(Duration.ofMinutes(1));

    @Test
    void a_lane_is_active_with_a_weight_of_one_and_strict_priorities_unless_told_otherwise() {
        assertThat(LaneSettings.DEFAULT)
                .isEqualTo(
                        new LaneSettings(
                                LaneSettings.State.ACTIVE,
                                1,
                                Optional.empty(),
                                false,
                                Collections.emptySortedSet(),
                                Collections.emptySortedSet()));
    }

    @ParameterizedTest
    @CsvSource({
        "ACTIVE, true, true, active",
        "PAUSED, true, false, paused",
        "DRAINING, false, true, draining",
        "DISABLED, false, false, disabled"
    })
    void its_state_says_what_goes_in_and_what_comes_out(
            LaneSettings.State state, boolean takes, boolean gives, String wire) {
        assertThat(state.takes()).isEqualTo(takes);
        assertThat(state.gives()).isEqualTo(gives);
        assertThat(state.wire()).isEqualTo(wire);
    }

    @Test
    void there_are_four_states() {
        assertThat(LaneSettings.State.values()).hasSize(4);
    }

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full =
                STRICT.state(LaneSettings.State.PAUSED)
                        .weight(7)
                        .ageing(Duration.ofHours(1))
                        .quota("calls")
                        .budget("team", Map.of("tokens", 7L));

        assertThat(Components.changed(full, full.state(LaneSettings.State.ACTIVE)))
                .containsExactly("state");
        assertThat(Components.changed(full, full.weight(8))).containsExactly("weight");
        assertThat(Components.changed(full, full.ageing(Duration.ofHours(2))))
                .containsExactly("ageing");
        assertThat(Components.changed(full, full.quota("mails"))).containsExactly("quotas");
        assertThat(Components.changed(full, full.withoutQuota("calls"))).containsExactly("quotas");
        assertThat(Components.changed(full, full.budget("house"))).containsExactly("budgets");
        assertThat(Components.changed(full, full.withoutBudget("team"))).containsExactly("budgets");
        var strict = STRICT.quota("calls").budget("team");
        assertThat(Components.changed(strict, strict.sharing(true))).containsExactly("sharing");
    }

    @Test
    void work_has_the_quotas_and_budgets_of_its_lane_too_and_each_once() {
        var lane = STRICT.quota("calls").budget("team", Map.of("tokens", 7L, "cents", 1L));
        var own = Policy.DEFAULT.quota("calls").quota("calls", "ada").quota("zeal");

        assertThat(lane.countsAgainst(own.quotas()))
                .containsExactly(
                        QuotaUse.of("calls"), QuotaUse.of("calls", "ada"), QuotaUse.of("zeal"));
        assertThat(lane.countsAgainst(List.of())).containsExactly(QuotaUse.of("calls"));
        assertThat(STRICT.countsAgainst(own.quotas())).containsExactlyElementsOf(own.quotas());
    }

    @Test
    void of_a_budget_that_both_name_the_larger_reservation_counts() {
        var lane = STRICT.budget("team", Map.of("tokens", 7L, "cents", 1L)).budget("house");
        var own = Policy.DEFAULT.budget("team", Map.of("tokens", 5L, "cents", 2L)).budgets();

        assertThat(lane.drawsOn(own))
                .extracting(BudgetUse::toString)
                .containsExactly(
                        BudgetUse.of("house", Map.of()).toString(),
                        BudgetUse.of("team", Map.of("cents", 2L, "tokens", 7L)).toString());
        assertThat(lane.budget("team", Map.of("tokens", 9L)).budgets())
                .contains(BudgetUse.of("team", Map.of("tokens", 9L)))
                .hasSize(2);
    }

    @Test
    void settings_that_reserve_other_amounts_are_other_settings() {
        var little = STRICT.budget("team", Map.of("tokens", 1L));
        var much = STRICT.budget("team", Map.of("tokens", 2L));

        assertThat(little).isNotEqualTo(much).isNotEqualTo(STRICT.budget("team"));
        assertThat(much.budget("team", Map.of("tokens", 1L))).isEqualTo(little);
        assertThat(much.budget("team", Map.of("tokens", 1L)).budgets()).hasSize(1);
    }

    @Test
    void a_lane_ages_or_shares_and_not_both() {
        assertRefused(Invalid.Code.CONTRADICTORY, "sharing", () -> AGEING.sharing(true));
        assertRefused(
                Invalid.Code.CONTRADICTORY,
                "sharing",
                () -> STRICT.sharing(true).ageing(Duration.ofMinutes(1)));
        assertThat(AGEING.sharing(false)).isEqualTo(AGEING);
    }

    @Test
    void where_keys_share_no_number_of_rounds_reaches_the_next_priority() {
        var sharing = STRICT.sharing(true);
        long centuries = 1_000_000_000_000L;

        assertThat(sharing.rank(0, NOON)).isZero();
        assertThat(sharing.rank(1, NOON) + centuries).isLessThan(sharing.rank(0, NOON));
        assertThat(sharing.rank(9000, NOON) + centuries).isLessThan(sharing.rank(8999, 0));
        assertThat(sharing.rank(9000, NOON)).isGreaterThan(-Long.MAX_VALUE / 2);
    }

    @Test
    void without_ageing_priority_alone_decides() {
        assertThat(STRICT.rank(9000, NOON)).isLessThan(STRICT.rank(8999, 0));
        assertThat(STRICT.rank(1, Long.MAX_VALUE)).isLessThan(STRICT.rank(0, 0));
        assertThat(STRICT.rank(5, NOON)).isEqualTo(STRICT.rank(5, NOON + 1));
        assertThat(STRICT.rank(0, NOON)).isZero();
        assertThat(STRICT.rank(9000, NOON)).isEqualTo(-9000);
    }

    @Test
    void with_ageing_one_step_of_waiting_is_worth_one_priority() {
        long justNow = NOON;
        long stepAgo = NOON - 60_000;

        assertThat(AGEING.rank(0, stepAgo))
                .as("having waited exactly one step, it stands beside one priority more")
                .isEqualTo(AGEING.rank(1, justNow));
        assertThat(AGEING.rank(0, stepAgo - 1))
                .as("having waited longer, it overtakes")
                .isLessThan(AGEING.rank(1, justNow));
        assertThat(AGEING.rank(0, stepAgo + 1)).isGreaterThan(AGEING.rank(1, justNow));
    }

    @Test
    void with_ageing_nothing_waits_longer_than_its_distance_in_steps() {
        long bound = 9_000 * 60_000L;

        assertThat(AGEING.rank(0, NOON - bound - 1)).isLessThan(AGEING.rank(9000, NOON));
    }

    @Test
    void with_ageing_the_older_of_one_priority_goes_first() {
        assertThat(AGEING.rank(5, NOON)).isLessThan(AGEING.rank(5, NOON + 1));
        assertThat(AGEING.rank(0, NOON)).isEqualTo(NOON);
    }

    @Test
    void the_slowest_ageing_of_the_highest_priority_does_not_overflow() {
        var slow = STRICT.ageing(Duration.ofDays(1));

        assertThat(slow.rank(9000, NOON)).isEqualTo(NOON - 9000 * 86_400_000L);
        assertThat(Stream.of(9000, 5000, 1, 0).map(priority -> slow.rank(priority, NOON)))
                .isSorted();
    }

    @Test
    void a_lane_has_8_quotas_and_8_budgets_at_most() {
        var full = STRICT;
        for (int i = 0; i < 8; i++) {
            full = full.quota("quota" + i).budget("budget" + i);
        }
        var most = full;

        assertThat(most.quotas()).hasSize(8);
        assertThat(most.budgets()).hasSize(8);
        assertRefused(Invalid.Code.TOO_MANY, "quotas", () -> most.quota("one more"));
        assertRefused(Invalid.Code.TOO_MANY, "budgets", () -> most.budget("one more"));
        assertRefused(Invalid.Code.EMPTY, "quota", () -> STRICT.quota(""));
    }

    @Test
    void a_weight_goes_from_1_to_1000() {
        assertThat(STRICT.weight(1000).weight()).isEqualTo(1000);
        assertRefused(Invalid.Code.OUT_OF_RANGE, "lane weight", () -> STRICT.weight(1001));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "lane weight", () -> STRICT.weight(0));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "lane weight", () -> STRICT.weight(-1));
    }

    @Test
    void a_step_of_ageing_lasts_from_a_millisecond_to_a_day() {
        assertThat(STRICT.ageing(Duration.ofMillis(1)).ageing()).contains(Duration.ofMillis(1));
        assertThat(STRICT.ageing(Duration.ofDays(1)).ageing()).contains(Duration.ofDays(1));
        assertThat(STRICT.ageing(Duration.ofNanos(1_999_999)).ageing())
                .contains(Duration.ofMillis(1));
        for (var step :
                List.of(
                        Duration.ZERO,
                        Duration.ofNanos(999_999),
                        Duration.ofMillis(-1),
                        Duration.ofDays(1).plusNanos(1),
                        Duration.ofSeconds(Long.MAX_VALUE),
                        Duration.ofSeconds(Long.MIN_VALUE))) {
            assertRefused(Invalid.Code.OUT_OF_RANGE, "ageing", () -> STRICT.ageing(step));
        }
    }
}
