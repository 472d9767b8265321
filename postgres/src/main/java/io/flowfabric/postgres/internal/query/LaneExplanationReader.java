package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.LaneExplainer;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.state.Situation;
import io.flowfabric.postgres.internal.Parties;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetChains;
import io.flowfabric.postgres.internal.admission.PostgresLanes;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.session.PostgresSessions;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What is found for an explanation what waits for what in a lane. What follows from it, and in
 * which words, the core decides.
 */
final class LaneExplanationReader {
    private final PostgresContext postgres;

    LaneExplanationReader(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Work that waits behind a gate and reserves the same. */
    private record Alike(int gate, List<Long> reserve) {}

    /** What waits in a lane at one moment. */
    private record Waiting(
            LaneView lane,
            Optional<Attribution> laneBy,
            Map<Alike, Long> ready,
            Map<Situation, Long> others) {}

    LaneExplanation explain(Lane lane) {
        var waiting =
                postgres.db()
                        .transaction(tx -> waiting(tx, lane))
                        .orElseThrow(() -> new NotFound("lane", lane.toString()));
        var numbers = waiting.ready.keySet().stream().map(Alike::gate).toList();
        var standings = GateStandings.read(postgres, waiting.lane, numbers);
        var budgets = new BudgetChains(postgres.db());
        var queues = new ArrayList<LaneExplainer.Queue>();
        waiting.ready.forEach(
                (alike, count) -> {
                    var gate = standings.gates().get(alike.gate);
                    if (gate == null) {
                        // Another version may know a worker that can take it; this one knows none.
                        waiting.others.merge(Situation.WITHOUT_WORKER, count, Long::sum);
                    } else {
                        var own = gate.budgets(alike.reserve);
                        queues.add(
                                new LaneExplainer.Queue(
                                        gate.kind(),
                                        gate.needs(),
                                        budgets.shortage(
                                                lane.namespace(),
                                                waiting.lane.settings().drawsOn(own)),
                                        standings.quotas(alike.gate),
                                        count));
                    }
                });
        var alive = PostgresSessions.alive(postgres, List.of(lane));
        return LaneExplainer.explain(waiting.lane, waiting.laneBy, queues, waiting.others, alive);
    }

    private static Optional<Waiting> waiting(Jdbc tx, Lane lane) {
        tx.query("one_moment").run();
        var number = PostgresLanes.numbers(tx, List.of(lane)).get(lane);
        if (number == null) {
            return Optional.empty();
        }
        var ready = new HashMap<Alike, Long>();
        var others = new EnumMap<Situation, Long>(Situation.class);
        tx.query("waiting_in")
                .set("lane", number)
                .each(
                        row -> {
                            var gate = row.intOrNull("gate");
                            if (gate == null) {
                                RowCodec.known(Situation.class, row.text("situation"))
                                        .ifPresent(
                                                situation ->
                                                        others.put(
                                                                situation, row.longValue("count")));
                            } else {
                                ready.put(
                                        new Alike(gate, RowCodec.reserve(row)),
                                        row.longValue("count"));
                            }
                        });
        return Optional.of(
                new Waiting(
                        PostgresLanes.find(tx, lane).orElseThrow(),
                        changedBy(tx, number),
                        ready,
                        others));
    }

    /** Who made a lane what it is, where it is not as lanes begin. */
    static Optional<Attribution> changedBy(Jdbc db, int lane) {
        return db.query("lane_changed_by")
                .set("lane", lane)
                .optional(row -> Parties.by(row).orElseThrow());
    }
}
