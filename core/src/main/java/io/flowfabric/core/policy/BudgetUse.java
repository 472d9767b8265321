package io.flowfabric.core.policy;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A budget that work draws on.
 *
 * @param reserve how much of each dimension is set aside for it while it runs; what it reports is
 *     settled against that. Nothing is set aside of a dimension that is not named.
 */
public record BudgetUse(String budget, SortedMap<String, Long> reserve)
        implements Comparable<BudgetUse> {
    private static final Comparator<BudgetUse> ORDER =
            Comparator.comparing(BudgetUse::budget)
                    .thenComparing(
                            use -> use.reserve.keySet().toArray(String[]::new), Arrays::compare)
                    .thenComparing(
                            use -> use.reserve.values().toArray(Long[]::new), Arrays::compare);

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

    /** The uses in their order. Work draws on each budget once: the first use of it counts. */
    public static SortedSet<BudgetUse> sorted(Collection<BudgetUse> uses) {
        if (uses.isEmpty()) {
            return Collections.emptySortedSet();
        }
        var byBudget = new TreeMap<String, BudgetUse>();
        uses.forEach(use -> byBudget.putIfAbsent(use.budget, use));
        return Collections.unmodifiableSortedSet(new TreeSet<>(byBudget.values()));
    }

    /**
     * By the budget, and then by what is reserved: sorted sets compare their elements by this order
     * alone, and those with different amounts are different.
     */
    @Override
    public int compareTo(BudgetUse other) {
        return ORDER.compare(this, other);
    }
}
