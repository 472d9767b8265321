package io.flowfabric.postgres;

import io.flowfabric.postgres.Catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The fronts of lanes that have too many gates for a claim to look behind all of them, as they have
 * where a quota has thousands of keys.
 *
 * <p>A front is where the work behind a gate begins, and a lower bound at that: claims only ever
 * move it on. It is read once in a while by one walk from gate to gate, which costs as much as
 * there are gates with work now, not gates that ever had any. A claim is then given the few gates
 * whose fronts come first, and the front of the next one as the limit up to which what it finds is
 * in order.
 *
 * <p>What another process makes ready behind a gate that had nothing is seen with the next reading:
 * within a second, or when a claim has come to nothing.
 */
final class CrowdedLanes {
    /** With no more gates than this a claim looks behind all of them. */
    static final int MOST_GATES = 256;

    /** How old fronts may be; and when this process has queued work since, or found nothing. */
    private static final long FRESH = Duration.ofSeconds(1).toNanos();

    private static final long FRESH_IF_CHANGED = Duration.ofMillis(200).toNanos();
    private static final long FRESH_FOR_NOTHING = Duration.ofMillis(100).toNanos();

    private final Jdbc db;
    private final Catalog catalog;
    private final Map<Integer, Fronts> lanes = new HashMap<>();

    CrowdedLanes(Jdbc db, Catalog catalog) {
        this.db = db;
        this.catalog = catalog;
    }

    /** A place in the order of a lane. */
    record Position(long rank, boolean fresh, long seq) {
        static final Comparator<Position> ORDER =
                Comparator.comparingLong(Position::rank)
                        .thenComparing(Position::fresh)
                        .thenComparingLong(Position::seq);
    }

    /** The fronts of one lane, as of a moment, and which gates are known to be full since. */
    private static final class Fronts {
        private final Map<Integer, Position> byGate = new HashMap<>();
        private final SortedMap<Position, Integer> inOrder = new TreeMap<>(Position.ORDER);
        private final Map<Integer, List<Integer>> full = new HashMap<>();
        private boolean changed;
        private long read;

        void add(int gate, Position front) {
            byGate.put(gate, front);
            inOrder.put(front, gate);
        }

        /** Moves a front on, never back. */
        void move(int gate, Position to) {
            var front = byGate.get(gate);
            if (front == null || Position.ORDER.compare(front, to) < 0) {
                if (front != null) {
                    inOrder.remove(front);
                }
                add(gate, to);
            }
        }

        /** Whether they will do for this long. */
        boolean younger(long age) {
            return System.nanoTime() - read < (changed ? Math.min(age, FRESH_IF_CHANGED) : age);
        }
    }

    /**
     * Where one look goes.
     *
     * @param limits the first front that is not among the gates of each lane; null where there is
     *     none
     */
    record Choice(List<Integer> lanes, List<LaneGate> gates, List<@Nullable Position> limits) {
        static final Choice NONE = new Choice(List.of(), List.of(), List.of());

        boolean exhausted() {
            return gates.isEmpty();
        }
    }

    /**
     * The gates of lanes whose fronts come first.
     *
     * @param passed gates that the claim has looked behind already; the choice is added to them
     * @param nothing whether the claim would come to nothing otherwise
     */
    synchronized Choice choose(
            Collection<Integer> crowded, Set<LaneGate> passed, int count, boolean nothing) {
        var gates = new ArrayList<LaneGate>();
        var limits = new ArrayList<@Nullable Position>();
        for (int lane : crowded) {
            var fronts = fresh(lane, nothing, passed);
            int left = count;
            Position limit = null;
            for (var front : fronts.inOrder.entrySet()) {
                var gate = new LaneGate(lane, front.getValue());
                if (!fronts.full.containsKey(gate.gate()) && !passed.contains(gate)) {
                    if (left == 0) {
                        limit = front.getKey();
                        break;
                    }
                    gates.add(gate);
                    left--;
                }
            }
            limits.add(limit);
        }
        passed.addAll(gates);
        return new Choice(List.copyOf(crowded), gates, limits);
    }

    private Fronts fresh(int lane, boolean nothing, Set<LaneGate> passed) {
        var known = lanes.get(lane);
        // A claim that has begun with these goes on with them.
        boolean begun = !nothing && passed.stream().anyMatch(pair -> pair.lane() == lane);
        if (known != null && (begun || known.younger(nothing ? FRESH_FOR_NOTHING : FRESH))) {
            return known;
        }
        if (nothing) {
            passed.removeIf(pair -> pair.lane() == lane);
        }
        var fronts = new Fronts();
        fronts.read = System.nanoTime();
        db.query("fronts")
                .set("lane", lane)
                .each(
                        row ->
                                fronts.add(
                                        row.intValue("gate"),
                                        new Position(
                                                row.longValue("rank"),
                                                row.bool("fresh"),
                                                row.longValue("seq"))));
        lanes.put(lane, fronts);
        return fronts;
    }

    /** Moves fronts on to what was taken behind them. */
    synchronized void taken(Collection<LowWaterMarks.Place> places) {
        for (var place : places) {
            var fronts = lanes.get(place.lane());
            if (fronts != null) {
                fronts.move(place.gate(), new Position(place.rank(), place.fresh(), place.seq()));
            }
        }
    }

    /** Gates behind which nothing may start until something of theirs is given back. */
    synchronized void full(Collection<Integer> crowded, Collection<Integer> gates) {
        var known = catalog.gates(db, gates);
        for (int lane : crowded) {
            var fronts = lanes.get(lane);
            if (fronts != null) {
                known.forEach((number, gate) -> fronts.full.put(number, gate.meterNumbers()));
            }
        }
    }

    /**
     * Something was given back to these meters by this process. What other processes give back is
     * seen with the next reading.
     */
    synchronized void freed(Collection<Integer> meters) {
        for (var fronts : lanes.values()) {
            boolean some =
                    fronts.full
                            .values()
                            .removeIf(needed -> needed.stream().anyMatch(meters::contains));
            if (!some) {
                // Perhaps a meter of the lane itself, which all of them wait for.
                fronts.full.clear();
            }
        }
    }

    /** Work became ready in these lanes, perhaps before all that is known. */
    synchronized void queued(Collection<Integer> changed) {
        changed.stream()
                .map(lanes::get)
                .filter(Objects::nonNull)
                .forEach(fronts -> fronts.changed = true);
    }
}
