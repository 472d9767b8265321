package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Lease;

import java.util.List;
import java.util.Set;

/**
 * What came of one look at what is ready.
 *
 * @param shut what was met that was shut
 * @param unreadable how many were taken that could not be read
 * @param welcome whether the session lives and the number was not heard before
 * @param more whether there may be more than was given
 */
public record ClaimRound(
        List<Lease> leases,
        List<GrantStub> grants,
        Set<AdmissionBlock> shut,
        int unreadable,
        boolean welcome,
        boolean more) {
    /** The grants of a claim that was heard before: what was shut then is not known any more. */
    static ClaimRound repeated(List<GrantStub> grants) {
        return new ClaimRound(List.of(), grants, Set.of(), 0, true, false);
    }

    int size() {
        return leases.size() + grants.size();
    }

    boolean taken() {
        return size() + unreadable > 0;
    }

    ClaimRound orMore(boolean alsoMore) {
        return new ClaimRound(leases, grants, shut, unreadable, welcome, more || alsoMore);
    }
}
