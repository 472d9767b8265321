package io.flowfabric.core.policy;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A budget that work draws on.
 *
 * @param reserve how much of each dimension is set aside for it while it runs; what it reports is
 *     settled against that. Nothing is set aside of a dimension that is not named.
 */
public record BudgetUse(String budget, SortedMap<String, Long> reserve)
        implements Comparable<BudgetUse> {
    public BudgetUse {
        Text.name("budget", budget, Limit.NAME_BYTES);
        var checked = new TreeMap<String, Long>();
        reserve.forEach(
                (dimension, amount) -> {
                    Text.name("dimension", dimension, Limit.NAME_BYTES);
                    checked.put(
                            dimension, Limit.AMOUNT.checkRange("reserved " + dimension, 0, amount));
                });
        reserve = Collections.unmodifiableSortedMap(checked);
    }

    /** The use of a budget, with what is reserved of each dimension while the work runs. */
    public static BudgetUse of(String budget, Map<String, Long> reserve) {
        return new BudgetUse(budget, new TreeMap<>(reserve));
    }

    /** By the budget: work draws on each of them once. */
    @Override
    public int compareTo(BudgetUse other) {
        return budget.compareTo(other.budget);
    }
}
