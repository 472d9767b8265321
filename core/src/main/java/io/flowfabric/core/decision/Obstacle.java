package io.flowfabric.core.decision;

import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;

import java.util.Collection;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * What holds ready work back from outside: its lane, that no worker could take it, a budget, a
 * quota; the first of these, in this order. No store writes it down, so it is found when the work
 * is read.
 *
 * @param words what exactly it is
 */
public record Obstacle(BlockedBy by, String words) {

    /**
     * Finds the first obstacle of ready work.
     *
     * @param alive at least those live workers that serve the lane
     * @param shortage what its budgets leave nothing for, in words; asked only when a worker could
     *     take the work
     * @param quotas how those stand that it counts against; asked last
     */
    public static Optional<Obstacle> first(
            Lane lane,
            LaneSettings.State state,
            String kind,
            Capabilities needs,
            Collection<Session> alive,
            Supplier<Optional<String>> shortage,
            Supplier<Stream<QuotaView>> quotas) {
        if (!state.gives()) {
            var words = "lane %s is %s".formatted(lane, state.wire());
            return Optional.of(new Obstacle(BlockedBy.LANE, words));
        }
        return CapabilityRouting.obstacle(lane, kind, needs, alive)
                .map(words -> new Obstacle(BlockedBy.ROUTE, words))
                .or(() -> shortage.get().map(words -> new Obstacle(BlockedBy.BUDGET, words)))
                .or(() -> full(quotas.get()).map(words -> new Obstacle(BlockedBy.QUOTA, words)));
    }

    /** The first quota that leaves no room, in words. */
    static Optional<String> full(Stream<QuotaView> quotas) {
        return quotas.filter(quota -> !quota.open()).findFirst().map(QuotaView::inWords);
    }

    /** How ready work reads that has this obstacle. */
    public ExecutionState before(Ready ready) {
        return new Blocked(by, words, ready);
    }
}
