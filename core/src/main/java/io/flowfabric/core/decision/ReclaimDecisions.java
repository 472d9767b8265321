package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;

import java.time.Instant;

/** Whether a chosen worker may go on with work whose lease was lost. */
public final class ReclaimDecisions {
    private ReclaimDecisions() {}

    /**
     * Refuses what cannot be reclaimed, and sessions that could not have claimed it.
     *
     * @param laneGives whether work can be claimed from its lane now
     * @throws Conflict when one of these stands in the way
     */
    public static void mustBeReclaimable(
            Facts facts, Instant now, Lane lane, boolean laneGives, String kind, Session worker) {
        OperatorDecisions.mustShareNamespace(facts, lane, worker);
        facts.refuseIfFinished();
        if (!(facts.state() instanceof Ready ready)
                || ready.next() != LeasePurpose.RECLAIM
                || facts.pastDeadline(now)) {
            throw facts.conflict(
                    Conflict.Code.NOT_CLAIMABLE,
                    "It is %s, and only work that lost its lease can be reclaimed.");
        }
        if (!laneGives) {
            throw facts.conflict(
                    Conflict.Code.NOT_CLAIMABLE, "It is %s in a lane that gives out no work.");
        }
        if (!worker.serves(lane) || !worker.able(kind, facts.policy().needs())) {
            throw facts.conflict(
                    Conflict.Code.NOT_CLAIMABLE,
                    "It is %s, and this worker is not able to do it or does not serve its lane.");
        }
    }
}
