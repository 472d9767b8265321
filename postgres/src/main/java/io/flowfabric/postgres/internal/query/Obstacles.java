package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.Obstacle;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetChains;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.admission.PostgresQuotas;
import io.flowfabric.postgres.internal.catalog.Gate;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;

/**
 * What holds ready work back from outside: its lane, the lack of a worker that could take it, a
 * budget, a quota. It is not stored, so it is found out by each read, once for all work of a lane
 * and a gate.
 */
public final class Obstacles {
    private final PostgresContext postgres;
    private final List<Session> alive;
    private final Map<Lane, LaneView> lanes;
    private final Map<Integer, QuotaView> quotas;
    private final Map<Queue, Optional<Obstacle>> found = new HashMap<>();
    private final BudgetChains budgets;

    private Obstacles(
            PostgresContext postgres,
            List<Session> alive,
            Map<Lane, LaneView> lanes,
            Map<Integer, QuotaView> quotas) {
        this.postgres = postgres;
        this.alive = alive;
        this.lanes = lanes;
        this.quotas = quotas;
        this.budgets = new BudgetChains(postgres.db());
    }

    private record Queue(Lane lane, LaneSettings.State state, Gate gate, List<Long> reserve) {}

    /** Asks for what is in the way of work that waits in these lanes, behind these gates. */
    public static Obstacles in(
            PostgresContext postgres, Collection<Lane> lanes, Collection<Gate> gates) {
        var meters = new HashSet<Integer>();
        gates.forEach(gate -> meters.addAll(gate.meters()));
        var views = PostgresLanes.views(postgres.db(), lanes);
        views.forEach(
                (lane, view) -> {
                    for (String quota : view.settings().quotas()) {
                        var use = QuotaUse.of(quota);
                        meters.add(
                                postgres.catalog()
                                        .meters()
                                        .number(postgres.db(), lane.namespace(), use));
                    }
                });
        return new Obstacles(
                postgres,
                lanes.isEmpty() ? List.of() : PostgresSessions.alive(postgres, lanes),
                views,
                PostgresQuotas.views(postgres, postgres.db(), meters));
    }

    /** What is in the way of work that reserves so much, in the order of its gate. */
    public Optional<Obstacle> of(
            Lane lane, LaneSettings.State state, Gate gate, List<Long> reserve) {
        return found.computeIfAbsent(
                new Queue(lane, state, gate, reserve),
                queue ->
                        Obstacle.first(
                                lane,
                                state,
                                gate.kind(),
                                gate.needs(),
                                alive,
                                () -> shortage(lane, gate.budgets(reserve)),
                                () -> quotas(lane, gate)));
    }

    private Optional<String> shortage(Lane lane, SortedSet<BudgetUse> own) {
        var view = lanes.get(lane);
        return budgets.shortage(
                lane.namespace(), view == null ? own : view.settings().drawsOn(own));
    }

    private Stream<QuotaView> quotas(Lane lane, Gate gate) {
        var view = lanes.get(lane);
        var meters =
                view == null
                        ? gate.meters()
                        : postgres.catalog()
                                .meters()
                                .within(postgres.db(), view, gate)
                                .metering()
                                .meters();
        return meters.stream().flatMap(meter -> Optional.ofNullable(quotas.get(meter)).stream());
    }
}
