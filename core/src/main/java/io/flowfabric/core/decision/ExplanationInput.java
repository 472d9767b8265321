package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.signal.Awaiting;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * What an explanation follows from, as a store finds it.
 *
 * @param view the execution, as it reads
 * @param lane its lane
 * @param laneBy who made the lane what it is, if it is not active and that is remembered
 * @param step the last step that changed the situation, if it is remembered
 * @param holder the session that holds it, if one does
 * @param alive at least those live workers that serve its lane
 * @param budgets how those stand that it draws on, if it is ready
 * @param quotas how those stand that it counts against, if it is ready
 * @param held how many executions those of them hold who could take this one, if it is ready
 * @param ahead how many {@link CompetingWork} come before it, if it is ready
 * @param awaiting what is remembered of its waits, if it is suspended
 * @param upstreams what it waits for as a member of a flow, if it does
 */
public record ExplanationInput(
        ExecutionView view,
        LaneView lane,
        Optional<Attribution> laneBy,
        Optional<Fact.Step> step,
        Optional<Fact.Holder> holder,
        Collection<Session> alive,
        List<Fact.Budget> budgets,
        List<QuotaView> quotas,
        int held,
        Fact.Ahead ahead,
        Instant now,
        Awaiting awaiting,
        Optional<Fact.PendingUpstreams> upstreams) {
    public ExplanationInput {
        if (FlowAwaiting.awaited(view.state()).isPresent()) {
            // It has begun, and waits for a flow below it.
            upstreams = Optional.empty();
        }
    }

    /** What the explanation of an execution that waits for no other follows from. */
    public ExplanationInput(
            ExecutionView view,
            LaneView lane,
            Optional<Attribution> laneBy,
            Optional<Fact.Step> step,
            Optional<Fact.Holder> holder,
            Collection<Session> alive,
            List<Fact.Budget> budgets,
            List<QuotaView> quotas,
            int held,
            Fact.Ahead ahead,
            Instant now) {
        this(
                view,
                lane,
                laneBy,
                step,
                holder,
                alive,
                budgets,
                quotas,
                held,
                ahead,
                now,
                Awaiting.NOTHING,
                Optional.empty());
    }
}
