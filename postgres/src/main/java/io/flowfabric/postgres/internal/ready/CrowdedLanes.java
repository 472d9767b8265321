package io.flowfabric.postgres.internal.ready;

import io.flowfabric.postgres.internal.catalog.Catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * The fronts of lanes that have too many gates for a claim to look behind all of them, as they have
 * where a quota has thousands of keys.
 *
 * <p>A front is where the work behind a gate begins, and a lower bound at that: claims only ever
 * move it on. It is read once in a while by one walk from gate to gate, which costs as much as
 * there are gates with work now, not gates that ever had any. A claim is then given the few gates
 * whose fronts come first, and the front of the next one as the limit up to which what it finds is
 * in order; when that is not enough, many more.
 *
 * <p>What another process makes ready behind a gate that had nothing is seen with the next reading:
 * within a second or so, or when a claim has come to nothing.
 */
public final class CrowdedLanes {
    /** With no more gates than this a claim looks behind all of them. */
    public static final int MOST_GATES = 256;

    /** How old fronts may be; and when this process has queued work since, or found nothing. */
    private static final long FRESH = Duration.ofSeconds(1).toNanos();

    private static final long FRESH_IF_CHANGED = Duration.ofMillis(200).toNanos();
    private static final long FRESH_FOR_NOTHING = Duration.ofMillis(100).toNanos();

    private static final Logger log = LoggerFactory.getLogger(CrowdedLanes.class);

    private final Jdbc db;
    private final Map<Integer, Fronts> lanes = new ConcurrentHashMap<>();

    /** How often this process has queued work in each of them. */
    private final Map<Integer, AtomicLong> queued = new ConcurrentHashMap<>();

    /** How often something was given back by this process. */
    private final AtomicLong freed = new AtomicLong();

    public CrowdedLanes(Jdbc db) {
        this.db = db;
    }

    /** A place in the order of a lane. */
    public record Position(long rank, boolean fresh, long seq) {
        static final Position LAST = new Position(Long.MAX_VALUE, true, Long.MAX_VALUE);

        static final Comparator<Position> ORDER =
                Comparator.comparingLong(Position::rank)
                        .thenComparing(Position::fresh)
                        .thenComparingLong(Position::seq);
    }

    /** Where the work behind a gate begins, or later. */
    private record Front(Position at, int gate) {
        static final Comparator<Front> ORDER =
                Comparator.comparing(Front::at, Position.ORDER).thenComparingInt(Front::gate);
    }

    /** A gate of a lane with the meters that it waits for. */
    public record Full(LaneGate gate, Set<Integer> meters) {}

    /** The fronts of one lane, as of a moment, and which gates are known to be full since. */
    private static final class Fronts {
        private final long read = System.nanoTime();
        private final Map<Integer, Front> byGate = new HashMap<>();
        private final SortedSet<Front> inOrder = new TreeSet<>(Front.ORDER);
        private final Map<Integer, Set<Integer>> full = new HashMap<>();
        private final AtomicBoolean replaced = new AtomicBoolean();
        private final AtomicLong queued;
        private final long queuedBefore;

        /**
         * @param queued how often this process has queued work in the lane
         */
        Fronts(AtomicLong queued) {
            this.queued = queued;
            this.queuedBefore = queued.get();
        }

        /** Moves a front on, never back. */
        void move(int gate, Position to) {
            var known = byGate.get(gate);
            if (known == null || Position.ORDER.compare(known.at, to) < 0) {
                if (known != null) {
                    inOrder.remove(known);
                }
                var front = new Front(to, gate);
                byGate.put(gate, front);
                inOrder.add(front);
            }
        }

        void forget(int gate) {
            var known = byGate.remove(gate);
            if (known != null) {
                inOrder.remove(known);
            }
        }

        /** Whether they will do for a claim that otherwise comes to nothing, or for any other. */
        boolean serve(boolean nothing) {
            long age = System.nanoTime() - read;
            boolean changed = queued.get() != queuedBefore;
            return nothing
                    ? !changed && age < FRESH_FOR_NOTHING
                    : age < (changed ? FRESH_IF_CHANGED : FRESH);
        }
    }

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
            List<@Nullable Position> limits,
            long moment) {
        public static final Choice NONE = new Choice(List.of(), List.of(), List.of(), 0);

        /** The limit of the first lane; the end of everything where there is none. */
        public Position limit() {
            var limit = limits.isEmpty() ? null : limits.getFirst();
            return limit == null ? Position.LAST : limit;
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
        var limits = new ArrayList<@Nullable Position>();
        for (int lane : crowded) {
            var fronts = fronts(lane, nothing);
            synchronized (fronts) {
                int left = count;
                Position limit = null;
                for (var front : fronts.inOrder) {
                    if (!fronts.full.containsKey(front.gate)) {
                        if (left == 0) {
                            limit = front.at;
                            break;
                        }
                        gates.add(new LaneGate(lane, front.gate));
                        left--;
                    }
                }
                limits.add(limit);
            }
        }
        return new Choice(List.copyOf(crowded), gates, limits, moment);
    }

    /**
     * The fronts of a lane. Where a claim would find something anyway it does not wait for newer
     * ones: they are read beside it, for the claims after it.
     */
    private Fronts fronts(int lane, boolean nothing) {
        var known = lanes.get(lane);
        if (known == null || (nothing && !known.serve(true))) {
            return read(lane);
        }
        if (!known.serve(false) && known.replaced.compareAndSet(false, true)) {
            Thread.ofVirtual().name("flowfabric-fronts").start(() -> replace(lane, known));
        }
        return known;
    }

    private void replace(int lane, Fronts known) {
        try {
            read(lane);
        } catch (RuntimeException e) {
            log.debug("The fronts of lane {} could not be read", lane, e);
            known.replaced.set(false);
        }
    }

    private Fronts read(int lane) {
        var fronts = new Fronts(queued.computeIfAbsent(lane, first -> new AtomicLong()));
        db.query("fronts")
                .set("lane", lane)
                .each(
                        row ->
                                fronts.move(
                                        row.intValue("gate"),
                                        new Position(
                                                row.longValue("rank"),
                                                row.bool("fresh"),
                                                row.longValue("seq"))));
        lanes.put(lane, fronts);
        return fronts;
    }

    /** Moves fronts on to what was taken behind them. */
    public void taken(Collection<LowWaterMarks.Place> places) {
        for (var place : places) {
            move(
                    new LaneGate(place.lane(), place.gate()),
                    new Position(place.rank(), place.fresh(), place.seq()));
        }
    }

    /**
     * What a look has found out: where work behind its gates begins now, or that there is none, or
     * that a gate is full.
     */
    public void seen(Choice choice, Map<LaneGate, Position> begins, Collection<Full> full) {
        full(choice, full);
        var shut = full.stream().map(Full::gate).collect(Collectors.toSet());
        for (var gate : choice.gates) {
            var at = begins.get(gate);
            if (at != null) {
                move(gate, at);
            } else if (!shut.contains(gate)) {
                forget(gate);
            }
        }
    }

    private void forget(LaneGate gate) {
        var fronts = lanes.get(gate.lane());
        if (fronts != null) {
            synchronized (fronts) {
                fronts.forget(gate.gate());
            }
        }
    }

    /** Nothing that could be taken is left behind these gates up to their limit. */
    public void exhausted(Choice choice) {
        for (var gate : choice.gates) {
            var limit = choice.limits.get(choice.lanes.indexOf(gate.lane()));
            if (limit != null) {
                move(gate, limit);
            }
        }
    }

    private void move(LaneGate gate, Position to) {
        var fronts = lanes.get(gate.lane());
        if (fronts != null) {
            synchronized (fronts) {
                fronts.move(gate.gate(), to);
            }
        }
    }

    /** Behind these gates nothing may start until something is given back to their meters. */
    public void full(Choice choice, Collection<Full> gates) {
        for (var full : gates) {
            var fronts = lanes.get(full.gate.lane());
            if (fronts != null) {
                synchronized (fronts) {
                    // What was given back meanwhile may have been theirs.
                    if (freed.get() == choice.moment) {
                        fronts.full.put(full.gate.gate(), full.meters);
                    }
                }
            }
        }
    }

    /**
     * Something was given back to these meters by this process. What other processes give back is
     * seen with the next reading.
     */
    public void freed(Collection<Integer> meters) {
        freed.incrementAndGet();
        for (var fronts : lanes.values()) {
            synchronized (fronts) {
                fronts.full.values().removeIf(needed -> needed.stream().anyMatch(meters::contains));
            }
        }
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
