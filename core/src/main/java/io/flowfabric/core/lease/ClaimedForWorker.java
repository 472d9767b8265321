package io.flowfabric.core.lease;

import io.flowfabric.core.admission.AdmissionBlock;

import java.util.List;
import java.util.Set;

/**
 * What came of a claim that was made for a worker, and gave grants instead of leases.
 *
 * @param grants the work that was given out
 * @param shut what kept other work waiting that the worker is able to do, as of a {@link Claimed}
 * @param more whether fewer were given than were wanted although there may be more
 */
public record ClaimedForWorker(List<Grant> grants, Set<AdmissionBlock> shut, boolean more) {
    public ClaimedForWorker {
        grants = List.copyOf(grants);
        shut = Set.copyOf(shut);
    }
}
