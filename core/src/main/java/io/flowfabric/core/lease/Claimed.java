package io.flowfabric.core.lease;

import io.flowfabric.core.admission.AdmissionBlock;

import java.util.List;
import java.util.Set;

/**
 * What came of a claim.
 *
 * @param leases the work that was given out
 * @param shut what kept other work waiting that the worker is able to do, when the claim began. A
 *     store looks at no more than {@link #GATES} different combinations of budgets and quotas to
 *     say so: where there are thousands, it tells of some. A repeat tells of none.
 * @param more whether fewer were given than were wanted although there may be more: then the next
 *     claim is not to wait
 */
public record Claimed(List<Lease> leases, Set<AdmissionBlock> shut, boolean more) {
    /** How many shut combinations of budgets and quotas a claim looks at. */
    public static final int GATES = 32;

    public Claimed {
        leases = List.copyOf(leases);
        shut = Set.copyOf(shut);
    }

    /** Leases, with nothing in the way of others. */
    public static Claimed of(List<Lease> leases) {
        return new Claimed(leases, Set.of(), false);
    }
}
