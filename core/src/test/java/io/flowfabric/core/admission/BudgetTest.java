package io.flowfabric.core.admission;

import static io.flowfabric.core.Examples.longest;
import static io.flowfabric.core.Examples.tooLong;
import static io.flowfabric.core.Refusals.assertRefused;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Components;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

class BudgetTest {
    private static final Budget TOKENS = Budget.of("team", "tokens", 10);

    @Test
    void a_plain_one_stops_work_at_its_limit_and_never_begins_anew() {
        assertThat(TOKENS)
                .isEqualTo(
                        new Budget(
                                Namespace.DEFAULT,
                                "team",
                                new TreeMap<>(Collections.singletonMap("tokens", Bounds.hard(10))),
                                Optional.empty(),
                                Enforcement.STOP,
                                Optional.empty()));
    }

    @Test
    void a_change_changes_its_own_field_and_no_other() {
        var full =
                TOKENS.namespace(new Namespace("shop"))
                        .period(Duration.ofHours(1))
                        .enforcement(Enforcement.WARN)
                        .parent("house");

        assertThat(Components.changed(TOKENS, full))
                .containsExactlyInAnyOrder("namespace", "period", "enforcement", "parent");
        assertThat(Components.changed(full, full.bounds("cents", Bounds.hard(5))))
                .containsExactly("dimensions");
        assertThat(Components.changed(full, full.period(Duration.ofHours(2))))
                .containsExactly("period");
        assertThat(Components.changed(full, full.enforcement(Enforcement.CANCEL)))
                .containsExactly("enforcement");
        assertThat(Components.changed(full, full.parent("street"))).containsExactly("parent");
        assertThat(Components.changed(full, full.namespace(Namespace.DEFAULT)))
                .containsExactly("namespace");
    }

    @Test
    void other_bounds_replace_those_of_the_dimension_and_a_soft_one_keeps_the_hard_one() {
        var both = Bounds.hard(20).soft(15);

        assertThat(both).isEqualTo(new Bounds(Optional.of(15L), Optional.of(20L)));
        assertThat(TOKENS.bounds("tokens", both).bounds("cents", Bounds.hard(5)).dimensions())
                .containsEntry("tokens", both)
                .containsEntry("cents", Bounds.hard(5))
                .hasSize(2);
    }

    @Test
    void all_but_a_warning_stop_work() {
        assertThat(Enforcement.WARN.stops()).isFalse();
        assertThat(Enforcement.STOP.stops()).isTrue();
        assertThat(Enforcement.CANCEL.stops()).isTrue();
    }

    @Test
    void names_are_names() {
        assertThat(Budget.of(longest(Limit.NAME_BYTES), "tokens", 1).dimensions()).hasSize(1);
        assertRefused(Invalid.Code.EMPTY, "budget", () -> Budget.of("", "tokens", 1));
        assertRefused(
                Invalid.Code.TOO_LONG,
                "budget",
                () -> Budget.of(tooLong(Limit.NAME_BYTES), "tokens", 1));
        assertRefused(Invalid.Code.EMPTY, "dimension", () -> Budget.of("team", "", 1));
        assertRefused(Invalid.Code.EMPTY, "budget", () -> TOKENS.parent(""));
    }

    @Test
    void it_counts_1_to_16_dimensions() {
        var dimensions = new TreeMap<String, Bounds>();
        for (int i = 0; i < 16; i++) {
            dimensions.put("dimension" + i, Bounds.hard(1));
        }
        var most = counting(dimensions);

        assertThat(most.dimensions()).hasSize(16);
        assertRefused(
                Invalid.Code.TOO_MANY, "dimensions", () -> most.bounds("one more", Bounds.hard(1)));
        assertRefused(Invalid.Code.EMPTY, "budget", () -> counting(new TreeMap<>()));
    }

    @Test
    void bounds_go_from_0_to_a_million_millions() {
        long largest = 1_000_000_000_000L;

        assertThat(Bounds.hard(0).hard()).contains(0L);
        assertThat(Bounds.hard(largest).soft(largest).soft()).contains(largest);
        assertRefused(Invalid.Code.OUT_OF_RANGE, "hard limit", () -> Bounds.hard(-1));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "hard limit", () -> Bounds.hard(largest + 1));
        assertRefused(Invalid.Code.OUT_OF_RANGE, "soft limit", () -> Bounds.hard(1).soft(-1));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE, "soft limit", () -> Bounds.hard(1).soft(largest + 1));
    }

    @Test
    void a_period_lasts_a_millisecond_or_longer() {
        assertThat(TOKENS.period(Duration.ofMillis(1)).period()).contains(Duration.ofMillis(1));
        assertRefused(
                Invalid.Code.OUT_OF_RANGE, "period in ms", () -> TOKENS.period(Duration.ZERO));
    }

    private static Budget counting(SortedMap<String, Bounds> dimensions) {
        return new Budget(
                Namespace.DEFAULT,
                "team",
                dimensions,
                Optional.empty(),
                Enforcement.STOP,
                Optional.empty());
    }
}
