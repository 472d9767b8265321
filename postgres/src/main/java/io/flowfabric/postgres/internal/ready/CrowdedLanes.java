package io.flowfabric.postgres.internal.ready;

import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The fronts of lanes that have too many gates for a claim to look behind all of them, as they have
 * where a quota has thousands of keys.
 *
 * <p>They are read once in a while by one walk from gate to gate, which costs as much as there are
 * gates with work now, not gates that ever had any. A claim is then given the few gates whose
 * fronts come first, and the front of the next one as the limit up to which what it finds is in
 * order; when that is not enough, many more.
 *
 * <p>What another process makes ready behind a gate that had nothing is seen with the next reading:
 * within a second or so, or when a claim has come to nothing.
 */
public final class CrowdedLanes {
    /** With no more gates than this a claim looks behind all of them. */
    public static final int MOST_GATES = 256;

    private static final Logger log = LoggerFactory.getLogger(CrowdedLanes.class);

    private final Jdbc db;
    private final Map<Integer, LaneFronts> lanes = new ConcurrentHashMap<>();

    /** How often this process has queued work in each of them. */
    private final Map<Integer, AtomicLong> queued = new ConcurrentHashMap<>();

    /** How often something was given back by this process. */
    private final AtomicLong freed = new AtomicLong();

    public CrowdedLanes(Jdbc db) {
        this.db = db;
    }

    /** Forgets everything, because the data may be that of another time. */
    public void forgetAll() {
        lanes.clear();
    }

    /** A gate of a lane with the meters that it waits for. */
    public record Full(LaneGate gate, Set<Integer> meters) {}

    /**
     * Where one look goes.
     *
     * @param limits the first front that is not among the gates of each lane; null where there is
     *     none
     * @param moment what had been given back by then
     */
    public record Choice(
            List<Integer> lanes,
            List<LaneGate> gates,
            List<@Nullable QueuePosition> limits,
            long moment) {
        public static final Choice NONE = new Choice(List.of(), List.of(), List.of(), 0);

        /** The limit of the first lane; the end of everything where there is none. */
        public QueuePosition limit() {
            var limit = limits.isEmpty() ? null : limits.getFirst();
            return limit == null ? QueuePosition.LAST : limit;
        }

        /** Whether all gates with work that may have room are among them. */
        public boolean everything() {
            return limits.stream().allMatch(Objects::isNull);
        }
    }

    /**
     * The gates of lanes whose fronts come first.
     *
     * @param count of how many gates in each lane
     * @param nothing whether the claim would come to nothing otherwise
     */
    public Choice choose(Collection<Integer> crowded, int count, boolean nothing) {
        long moment = freed.get();
        var gates = new ArrayList<LaneGate>();
        var limits = new ArrayList<@Nullable QueuePosition>();
        for (int lane : crowded) {
            var first = fronts(lane, nothing).first(count);
            first.gates().forEach(gate -> gates.add(new LaneGate(lane, gate)));
            limits.add(first.limit());
        }
        return new Choice(List.copyOf(crowded), gates, limits, moment);
    }

    /**
     * The fronts of a lane. Where a claim would find something anyway it does not wait for newer
     * ones: they are read beside it, for the claims after it.
     */
    private LaneFronts fronts(int lane, boolean nothing) {
        var known = lanes.get(lane);
        if (known == null || (nothing && !known.serve(true))) {
            return read(lane);
        }
        if (known.mustBeReplaced()) {
            Thread.ofVirtual().name("flowfabric-fronts").start(() -> replace(lane, known));
        }
        return known;
    }

    private void replace(int lane, LaneFronts known) {
        try {
            read(lane);
        } catch (RuntimeException e) {
            log.debug("The fronts of lane {} could not be read", lane, e);
        } finally {
            known.replacingIsOver();
        }
    }

    private LaneFronts read(int lane) {
        var fronts = new LaneFronts(queued.computeIfAbsent(lane, first -> new AtomicLong()), freed);
        db.query("fronts")
                .set("lane", lane)
                .each(row -> fronts.move(row.intValue("gate"), QueuePosition.of(row)));
        lanes.put(lane, fronts);
        return fronts;
    }

    /** Moves fronts on to what was taken behind them. */
    public void taken(Collection<EntryPlace> places) {
        places.forEach(place -> move(place.gate(), place.position()));
    }

    /**
     * Where work begins now behind gates that a look has seen: nowhere, behind those of which
     * nothing is told and that are not full.
     */
    public void begin(
            Collection<LaneGate> seen, Map<LaneGate, QueuePosition> begins, Collection<Full> full) {
        var shut = full.stream().map(Full::gate).collect(Collectors.toSet());
        for (var gate : seen) {
            var at = begins.get(gate);
            if (at != null) {
                move(gate, at);
            } else if (!shut.contains(gate)) {
                var fronts = lanes.get(gate.lane());
                if (fronts != null) {
                    fronts.forget(gate.gate());
                }
            }
        }
    }

    /** Nothing that could be taken is left behind gates that a look has seen, up to their limit. */
    public void exhausted(Choice choice, Collection<LaneGate> seen) {
        for (var gate : seen) {
            var limit = choice.limits.get(choice.lanes.indexOf(gate.lane()));
            if (limit != null) {
                move(gate, limit);
            }
        }
    }

    private void move(LaneGate gate, QueuePosition to) {
        var fronts = lanes.get(gate.lane());
        if (fronts != null) {
            fronts.move(gate.gate(), to);
        }
    }

    /** Behind these gates nothing may start until something is given back to their meters. */
    public void full(Choice choice, Collection<Full> gates) {
        for (var full : gates) {
            var fronts = lanes.get(full.gate.lane());
            if (fronts != null) {
                fronts.full(full.gate.gate(), full.meters, choice.moment);
            }
        }
    }

    /**
     * Something was given back to these meters by this process. What other processes give back is
     * seen with the next reading.
     */
    public void freed(Collection<Integer> meters) {
        freed.incrementAndGet();
        lanes.values().forEach(fronts -> fronts.freed(meters));
    }

    /** Work became ready in these lanes, perhaps before all that is known. */
    public void queued(Collection<Integer> changed) {
        for (int lane : changed) {
            var times = queued.get(lane);
            if (times != null) {
                times.incrementAndGet();
            }
        }
    }
}
