package io.flowfabric.testkit.history;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.store.Store;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What a store has counted at the end of a run.
 *
 * @param counts how many executions are in which state
 * @param quotas how much runs against each quota, under each key that was used
 * @param budgets how much is used and set aside of each budget
 */
public record Totals(
        Map<Lane, Map<PublicState, Long>> counts,
        List<QuotaView> quotas,
        List<BudgetView> budgets) {
    private static final int MOST = 1000;

    /** Nothing is known. */
    public static final Totals NONE = new Totals(Map.of(), List.of(), List.of());

    public Totals {
        counts = Map.copyOf(counts);
        quotas = List.copyOf(quotas);
        budgets = List.copyOf(budgets);
    }

    static Totals of(
            Store store, Collection<Namespace> namespaces, Collection<QuotaUse> usesOfQuotas) {
        var counts = new HashMap<Lane, Map<PublicState, Long>>();
        var quotas = new ArrayList<QuotaView>();
        var budgets = new ArrayList<BudgetView>();
        for (var namespace : namespaces) {
            counts.putAll(store.queries().counts(namespace));
            for (var quota : store.quotas().list(namespace, Cursor.START, MOST).items()) {
                usesOfQuotas.stream()
                        .filter(use -> use.quota().equals(quota.name()))
                        .forEach(use -> quotas.add(store.quotas().describe(namespace, use)));
            }
            for (var budget : store.budgets().list(namespace, Cursor.START, MOST).items()) {
                budgets.add(store.budgets().describe(namespace, budget.name()));
            }
        }
        return new Totals(counts, quotas, budgets);
    }
}
