package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.PostgresQuotas;
import io.flowfabric.postgres.internal.catalog.Gate;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** How gates stand in a lane: how far the quotas are filled that work from there counts against. */
final class GateStandings {
    private final Map<Integer, Gate> gates;
    private final Map<Integer, List<Integer>> meters;
    private final Map<Integer, QuotaView> quotas;

    private GateStandings(
            Map<Integer, Gate> gates,
            Map<Integer, List<Integer>> meters,
            Map<Integer, QuotaView> quotas) {
        this.gates = gates;
        this.meters = meters;
        this.quotas = quotas;
    }

    /** Reads those gates that can be read. */
    static GateStandings read(
            PostgresContext postgres, LaneView lane, Collection<Integer> numbers) {
        var gates = postgres.catalog().gates().byNumber(postgres.db(), numbers);
        var meters = new HashMap<Integer, List<Integer>>();
        gates.forEach(
                (number, gate) -> {
                    var inLane = postgres.catalog().meters().within(postgres.db(), lane, gate);
                    meters.put(number, inLane.metering().meters());
                });
        var all = meters.values().stream().flatMap(List::stream).distinct().toList();
        return new GateStandings(gates, meters, PostgresQuotas.views(postgres, postgres.db(), all));
    }

    /** The gates by their numbers. */
    Map<Integer, Gate> gates() {
        return gates;
    }

    /** How the quotas stand of one of them; none, when it cannot be read. */
    List<QuotaView> quotas(int gate) {
        return meters.getOrDefault(gate, List.of()).stream()
                .flatMap(meter -> Optional.ofNullable(quotas.get(meter)).stream())
                .toList();
    }
}
