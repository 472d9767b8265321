package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Lane;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.catalog.GateInLane;
import io.flowfabric.postgres.internal.catalog.GatesOfLane;
import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.catalog.NumberRemoved;
import io.flowfabric.postgres.internal.catalog.ReservedAmounts;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.ConstraintViolation;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The queues that a batch of work joins: the lanes by their numbers, and the gates in them.
 *
 * <p>Where all of them are known, the work says by which generation of the gates of its lane, and
 * is not accepted by another one. Otherwise its transaction {@linkplain #hold holds} the lanes
 * before it writes the work, because rows of lanes are locked before those of their work, and
 * {@linkplain #open opens} what is new with it.
 */
public final class Queues {
    private final Catalog catalog;
    private final Map<Lane, Integer> lanes;
    private final Map<LaneGate, ReservedAmounts> reserved;
    private final Map<Integer, GatesOfLane> known = new HashMap<>();
    private final Map<Integer, HeldLane> held = new HashMap<>();

    /** Of which it is not known that their lane has them, or what is reserved behind them. */
    private final Set<LaneGate> unknown = new HashSet<>();

    private record HeldLane(LaneView view, long generation) {}

    private Queues(
            Catalog catalog, Map<Lane, Integer> lanes, Map<LaneGate, ReservedAmounts> reserved) {
        this.catalog = catalog;
        this.lanes = lanes;
        this.reserved = reserved;
        lanes.values().forEach(lane -> known.put(lane, catalog.gates().ofLane(lane)));
        for (var queue : reserved.entrySet()) {
            if (!isKnown(known(queue.getKey().lane()), queue)) {
                unknown.add(queue.getKey());
            }
        }
    }

    /**
     * The queues of work for these lanes.
     *
     * @param reserved what the work reserves, by the gate of the lane that it is to wait behind
     */
    public static Queues of(
            Catalog catalog, Map<Lane, Integer> lanes, Map<LaneGate, ReservedAmounts> reserved) {
        return new Queues(catalog, lanes, reserved);
    }

    public boolean areKnown() {
        return unknown.isEmpty();
    }

    private static boolean isKnown(GatesOfLane lane, Map.Entry<LaneGate, ReservedAmounts> queue) {
        return lane.know(queue.getKey().gate(), queue.getValue());
    }

    private GatesOfLane known(int lane) {
        return Objects.requireNonNull(known.get(lane));
    }

    /** Keeps those lanes as they are that get a gate with this work. */
    public void hold(Jdbc tx) {
        if (unknown.isEmpty()) {
            return;
        }
        tx.query("share_lanes")
                .ints("ids", Set.copyOf(unknown), LaneGate::lane)
                .each(
                        row ->
                                held.put(
                                        row.intValue("id"),
                                        new HeldLane(
                                                PostgresLanes.view(row),
                                                row.longValue("generation"))));
        // Of a lane whose gates have been retired nothing is known any more.
        for (LaneGate queue : reserved.keySet()) {
            var holding = held.get(queue.lane());
            if (holding != null && holding.generation != known(queue.lane()).generation()) {
                unknown.add(queue);
            }
        }
    }

    /**
     * Lets claims look behind the gates that are new in some of the lanes, which are held, and
     * tells them what is reserved there.
     *
     * @throws NumberRemoved when one of the gates, or what one counts against, is gone
     */
    public void open(Jdbc tx, Collection<Integer> some) {
        var unknown = unknown(some);
        if (unknown.isEmpty()) {
            return;
        }
        var gates =
                catalog.gates()
                        .byNumber(
                                tx, unknown.stream().map(queue -> queue.getKey().gate()).toList());
        var inLane = new ArrayList<GateInLane>();
        var named = new HashSet<NamedBudget>();
        for (var queue : unknown) {
            var gate = gates.get(queue.getKey().gate());
            if (gate == null) {
                throw new NumberRemoved();
            }
            var lane = held(queue.getKey().lane()).view;
            inLane.add(catalog.meters().within(tx, lane, gate));
            var namespace = lane.lane().namespace().name();
            gate.budgets().forEach(use -> named.add(new NamedBudget(namespace, use.budget())));
            lane.settings()
                    .budgets()
                    .forEach(use -> named.add(new NamedBudget(namespace, use.budget())));
        }
        mustNotBeDeleted(tx, inLane, named);
        try {
            add(tx, unknown, inLane);
        } catch (ConstraintViolation violation) {
            throw violation.kind() == ConstraintViolation.Kind.FOREIGN_KEY
                    ? new NumberRemoved()
                    : violation;
        }
    }

    /** A budget that work or its lane names, and not one above it: that may be deleted. */
    private record NamedBudget(String namespace, String name) {}

    /** Another process may have deleted a quota or a budget that this one has looked up before. */
    private static void mustNotBeDeleted(
            Jdbc tx, List<GateInLane> gates, Set<NamedBudget> budgets) {
        var meters = new HashSet<Integer>();
        gates.forEach(gate -> meters.addAll(gate.metering().meters()));
        if (!meters.isEmpty()
                && tx.query("any_deleted")
                        .ints("meters", meters, meter -> meter)
                        .texts("namespaces", budgets, NamedBudget::namespace)
                        .texts("budgets", budgets, NamedBudget::name)
                        .one(row -> row.bool("deleted"))) {
            throw new NumberRemoved();
        }
    }

    private void add(
            Jdbc tx, List<Map.Entry<LaneGate, ReservedAmounts>> unknown, List<GateInLane> inLane) {
        metered(tx.query("add_lane_gates"), inLane)
                .ints("lanes", unknown, queue -> queue.getKey().lane())
                .ints("gates", unknown, queue -> queue.getKey().gate())
                .longs("generations", unknown, queue -> held(queue.getKey().lane()).generation)
                .texts(
                        "smallests",
                        unknown,
                        queue -> RowCodec.reserves(queue.getValue().smallest()))
                .booleans("varies", unknown, queue -> queue.getValue().varies())
                .update();
    }

    private List<Map.Entry<LaneGate, ReservedAmounts>> unknown(Collection<Integer> some) {
        var wanted = Set.copyOf(some);
        return reserved.entrySet().stream()
                .filter(queue -> wanted.contains(queue.getKey().lane()))
                .filter(queue -> unknown.contains(queue.getKey()))
                .toList();
    }

    private HeldLane held(int lane) {
        return Objects.requireNonNull(held.get(lane));
    }

    static Query metered(Query query, List<GateInLane> gates) {
        return query.texts("meters", gates, gate -> RowCodec.array(gate.metering().meters()))
                .texts("floors", gates, gate -> RowCodec.array(gate.floors()))
                .texts("lead_froms", gates, gate -> gate.metering().leadFrom())
                .texts("lead_tos", gates, gate -> gate.metering().leadTo());
    }

    /** Once it is committed: the gates of some lanes are known now. */
    public void remember(Collection<Integer> some) {
        var gates = new HashMap<Integer, Map<Integer, ReservedAmounts>>();
        reserved.forEach(
                (queue, amounts) ->
                        gates.computeIfAbsent(queue.lane(), first -> new HashMap<>())
                                .put(queue.gate(), amounts));
        lanes.forEach(
                (lane, number) -> {
                    if (some.contains(number)) {
                        catalog.lanes().remember(lane, number);
                        catalog.gates()
                                .remember(
                                        number,
                                        generation(number),
                                        gates.getOrDefault(number, Map.of()));
                    }
                });
    }

    public boolean hasLane(Lane lane) {
        return lanes.containsKey(lane);
    }

    public int number(Lane lane) {
        return Objects.requireNonNull(lanes.get(lane));
    }

    /** All lanes that it is about. */
    public Set<Integer> numbers() {
        return Set.copyOf(lanes.values());
    }

    /** By which generation of its gates a lane is known. */
    public long generation(int lane) {
        var holding = held.get(lane);
        return holding != null ? holding.generation : known(lane).generation();
    }
}
