package io.flowfabric.core.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.QuotaUse;

import org.junit.jupiter.api.Test;

import java.util.List;

class RecountTest {
    @Test
    void drift_is_how_far_off_the_numbers_were_whichever_way() {
        var budgets =
                new BudgetRecount(
                        3,
                        List.of(
                                new BudgetRecount.Drift("team", "tokens", 10, 7),
                                new BudgetRecount.Drift("team", "cents", 0, 4)));
        var quotas =
                new QuotaRecount(
                        3,
                        List.of(
                                new QuotaRecount.Drift(QuotaUse.of("calls"), 5, 3),
                                new QuotaRecount.Drift(QuotaUse.of("mails"), 1, 2)));

        assertThat(budgets.drift()).isEqualTo(7);
        assertThat(quotas.drift()).isEqualTo(3);
        assertThat(new BudgetRecount(3, List.of()).drift()).isZero();
        assertThat(new QuotaRecount(3, List.of()).drift()).isZero();
    }

    @Test
    void drifts_of_budgets_are_told_by_name_and_dimension() {
        var recount =
                new BudgetRecount(
                        3,
                        List.of(
                                new BudgetRecount.Drift("team", "tokens", 1, 2),
                                new BudgetRecount.Drift("team", "cents", 1, 2),
                                new BudgetRecount.Drift("house", "tokens", 1, 2)));

        assertThat(recount.drifts())
                .extracting(BudgetRecount.Drift::of)
                .containsExactly(
                        "budget house: tokens", "budget team: cents", "budget team: tokens");
    }
}
