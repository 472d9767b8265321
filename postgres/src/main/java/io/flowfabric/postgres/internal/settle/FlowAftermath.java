package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.step.StepBatch;

import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** Whom the steps of a transaction concern, and who is told once it is committed. */
public final class FlowAftermath {
    private final ReadyLanes lanes = new ReadyLanes();
    private final Set<Integer> meters = new HashSet<>();
    private final Set<SessionId> losers = new HashSet<>();
    private final Set<UUID> streamed = new HashSet<>();

    /** Flows in which something is still to be done. */
    private final Set<UUID> unsettled = new HashSet<>();

    /** Whether work may have become ready anywhere before what was already claimed. */
    private final boolean anywhere;

    private FlowAftermath(boolean anywhere) {
        this.anywhere = anywhere;
    }

    /** Of steps that begin or go on with work in its turn. */
    public static FlowAftermath inTurn() {
        return new FlowAftermath(false);
    }

    /** Of steps that may put work anywhere. */
    public static FlowAftermath anywhere() {
        return new FlowAftermath(true);
    }

    /** Adds steps that were written. */
    public void add(StepBatch steps, List<StepBatch.Written> written) {
        add(written);
        losers.addAll(steps.losers());
        streamed.addAll(steps.streamed());
        unsettled.addAll(steps.abandoned());
    }

    /** Adds steps by which work became ready. */
    public void add(List<StepBatch.Written> written) {
        for (var step : written) {
            meters.addAll(step.freed());
            if (step.ready()) {
                lanes.add(step.lane(), step.id());
                step.fresh().ifPresent(seq -> lanes.addFresh(step.lane(), seq));
            }
        }
    }

    public void add(LockedFlow flow) {
        if (flow.record().unsettled()) {
            unsettled.add(flow.id());
        }
    }

    public Collection<UUID> unsettled() {
        return Set.copyOf(unsettled);
    }

    /** Wakes those who wait for what has come of it. */
    public void tell(PostgresContext postgres) {
        if (anywhere) {
            postgres.requeued(lanes);
        } else {
            postgres.returned(lanes);
        }
        postgres.freed(meters);
        postgres.lost(losers);
        postgres.streamed(streamed);
    }
}
