package io.flowfabric.postgres;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.contract.Fact;
import io.flowfabric.core.contract.LaneSettings;
import io.flowfabric.core.contract.QuotaView;
import io.flowfabric.core.contract.Session;
import io.flowfabric.core.decision.Route;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.state.BlockedBy;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What holds ready work back from outside: its lane, that nobody could take it, a budget, a quota.
 * Nobody writes that down, so it is found out when somebody reads; once for all work of a lane and
 * a gate.
 */
final class Obstacles {
    private final Postgres postgres;
    private final List<Session> alive;
    private final Map<Integer, QuotaView> quotas;
    private final Map<Queue, Optional<Obstacle>> found = new HashMap<>();
    private final Map<Draw, List<Fact.Budget>> budgets = new HashMap<>();

    private Obstacles(Postgres postgres, List<Session> alive, Map<Integer, QuotaView> quotas) {
        this.postgres = postgres;
        this.alive = alive;
        this.quotas = quotas;
    }

    /** What stands in the way, with the facts in words. */
    record Obstacle(BlockedBy by, String inWords) {}

    private record Queue(Lane lane, Catalog.Gate gate) {}

    private record Draw(Namespace namespace, BudgetUse use) {}

    /** Asks for what is in the way of work that waits in these lanes, behind these gates. */
    static Obstacles in(Postgres postgres, Collection<Lane> lanes, Collection<Catalog.Gate> gates) {
        var meters =
                gates.stream().flatMap(gate -> gate.meterNumbers().stream()).distinct().toList();
        return new Obstacles(
                postgres,
                lanes.isEmpty() ? List.of() : SessionKeeping.alive(postgres, lanes),
                QuotaKeeping.views(postgres, postgres.db(), meters));
    }

    Optional<Obstacle> of(Lane lane, LaneSettings.State state, Catalog.Gate gate) {
        if (!state.gives()) {
            var words = "lane %s is %s".formatted(lane, state.wire());
            return Optional.of(new Obstacle(BlockedBy.LANE, words));
        }
        return found.computeIfAbsent(
                new Queue(lane, gate),
                queue ->
                        Route.obstacle(lane, gate.kind(), gate.needs(), alive)
                                .map(words -> new Obstacle(BlockedBy.ROUTE, words))
                                .or(() -> budget(lane, gate))
                                .or(() -> quota(gate)));
    }

    private Optional<Obstacle> budget(Lane lane, Catalog.Gate gate) {
        return gate.budgets().stream()
                .flatMap(use -> budgets(new Draw(lane.namespace(), use)).stream())
                .filter(budget -> !budget.open())
                .findFirst()
                .map(shut -> new Obstacle(BlockedBy.BUDGET, shut.words()));
    }

    private List<Fact.Budget> budgets(Draw draw) {
        return budgets.computeIfAbsent(
                draw,
                unknown ->
                        BudgetReading.facts(postgres.db(), draw.namespace, List.of(draw.use))
                                .toList());
    }

    private Optional<Obstacle> quota(Catalog.Gate gate) {
        return gate.meterNumbers().stream()
                .flatMap(meter -> Optional.ofNullable(quotas.get(meter)).stream())
                .filter(view -> !view.open())
                .findFirst()
                .map(full -> new Obstacle(BlockedBy.QUOTA, full.inWords()));
    }
}
