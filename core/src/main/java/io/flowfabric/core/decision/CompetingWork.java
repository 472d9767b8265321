package io.flowfabric.core.decision;

import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.query.ExecutionView;

import java.util.Collection;
import java.util.List;

/**
 * Which ready work of the same lane is in the way of an execution when it comes before it: what a
 * worker that could take the one could take instead. While there is no such worker it is what every
 * such worker could take, work of the same kind with the same needs. What a quota holds back is in
 * nobody's way.
 */
public final class CompetingWork {
    private final String kind;
    private final Capabilities needs;
    private final List<Session> able;

    private CompetingWork(String kind, Capabilities needs, List<Session> able) {
        this.kind = kind;
        this.needs = needs;
        this.able = able;
    }

    /**
     * The rivals of an execution.
     *
     * @param alive at least those that serve its lane
     */
    public static CompetingWork of(ExecutionView view, Collection<Session> alive) {
        var kind = view.kind();
        var needs = view.policy().needs();
        return new CompetingWork(
                kind,
                needs,
                alive.stream()
                        .filter(session -> session.serves(view.lane()))
                        .filter(session -> session.able(kind, needs))
                        .toList());
    }

    /**
     * Whether work of the same lane is one of them.
     *
     * @param quotas how those stand that it counts against
     */
    public boolean include(
            String otherKind, Capabilities otherNeeds, Collection<QuotaView> quotas) {
        return quotas.stream().allMatch(QuotaView::open) && couldBeTaken(otherKind, otherNeeds);
    }

    private boolean couldBeTaken(String otherKind, Capabilities otherNeeds) {
        return (kind.equals(otherKind) && needs.equals(otherNeeds))
                || able.stream().anyMatch(session -> session.able(otherKind, otherNeeds));
    }

    /** The live workers that could take the execution. */
    public List<Session> workers() {
        return able;
    }
}
