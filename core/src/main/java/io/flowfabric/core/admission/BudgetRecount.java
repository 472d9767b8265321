package io.flowfabric.core.admission;

import java.util.Comparator;
import java.util.List;

/**
 * What came of counting anew what is set aside of the budgets of a namespace.
 *
 * @param counted how many dimensions were counted
 * @param drifts those that had to be put right, none as long as no program wrote past the store
 */
public record BudgetRecount(int counted, List<Drift> drifts) {
    public BudgetRecount {
        drifts = drifts.stream().sorted().toList();
    }

    /**
     * A dimension of a budget that did not say how much is set aside.
     *
     * @param said how much it said
     * @param held how much it is, and what it says now
     */
    public record Drift(String budget, String dimension, long said, long held)
            implements Comparable<Drift> {
        /** What was counted, in words. */
        public String of() {
            return "budget %s: %s".formatted(budget, dimension);
        }

        @Override
        public int compareTo(Drift other) {
            return Comparator.comparing(Drift::budget)
                    .thenComparing(Drift::dimension)
                    .compare(this, other);
        }
    }

    /** By how much they were wrong, all together. */
    public long drift() {
        return drifts.stream().mapToLong(drift -> Math.abs(drift.said - drift.held)).sum();
    }
}
