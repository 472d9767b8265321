package io.flowfabric.core.admission;

import io.flowfabric.core.policy.QuotaUse;

import java.util.List;

/**
 * What came of counting anew what runs against the quotas of a namespace.
 *
 * @param counted how many were counted: one for each quota and key that work has ever named; a
 *     store may leave out those against which nothing counts any more
 * @param drifts those that had to be put right, none as long as no program wrote past the store
 */
public record QuotaRecount(int counted, List<Drift> drifts) {
    public QuotaRecount {
        drifts = List.copyOf(drifts);
    }

    /**
     * A quota, or one key of it, that did not say how much runs.
     *
     * @param said how much it said
     * @param runs how much it is, and what it says now
     */
    public record Drift(QuotaUse use, int said, int runs) {}

    /** By how much they were wrong, all together. */
    public long drift() {
        return drifts.stream().mapToLong(drift -> Math.abs(drift.said - drift.runs)).sum();
    }
}
