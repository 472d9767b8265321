package io.flowfabric.postgres.internal.ready;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The fronts of one lane, as of a moment, and which of its gates are known to be full since.
 *
 * <p>A front is where the work behind a gate begins, and a lower bound at that: claims only ever
 * move it on.
 */
final class LaneFronts {
    /** How old fronts may be; and when this process has queued work since, or found nothing. */
    private static final long FRESH = Duration.ofSeconds(1).toNanos();

    private static final long FRESH_IF_CHANGED = Duration.ofMillis(200).toNanos();
    private static final long FRESH_FOR_NOTHING = Duration.ofMillis(100).toNanos();

    private final long read = System.nanoTime();
    private final Map<Integer, Front> byGate = new HashMap<>();
    private final SortedSet<Front> inOrder = new TreeSet<>(Front.ORDER);
    private final Map<Integer, Set<Integer>> full = new HashMap<>();
    private final AtomicBoolean replacing = new AtomicBoolean();
    private final AtomicLong freed;
    private final AtomicLong queued;
    private final long queuedBefore;

    private record Front(QueuePosition at, int gate) {
        static final Comparator<Front> ORDER =
                Comparator.comparing(Front::at, QueuePosition.ORDER).thenComparingInt(Front::gate);
    }

    /**
     * The gates whose fronts come first.
     *
     * @param limit the first front that is not among them; null where there is none
     */
    record First(List<Integer> gates, @Nullable QueuePosition limit) {}

    /**
     * @param queued how often this process has queued work in the lane
     * @param freed how often this process has given something back
     */
    LaneFronts(AtomicLong queued, AtomicLong freed) {
        this.queued = queued;
        this.queuedBefore = queued.get();
        this.freed = freed;
    }

    /** The first gates that may have room, no more than so many. */
    synchronized First first(int count) {
        var gates = new ArrayList<Integer>();
        for (var front : inOrder) {
            if (!full.containsKey(front.gate)) {
                if (gates.size() == count) {
                    return new First(gates, front.at);
                }
                gates.add(front.gate);
            }
        }
        return new First(gates, null);
    }

    /** Moves a front on, never back. */
    synchronized void move(int gate, QueuePosition to) {
        var known = byGate.get(gate);
        if (known == null || QueuePosition.ORDER.compare(known.at, to) < 0) {
            forget(gate);
            var front = new Front(to, gate);
            byGate.put(gate, front);
            inOrder.add(front);
        }
    }

    /** There is nothing behind this gate. */
    synchronized void forget(int gate) {
        var known = byGate.remove(gate);
        if (known != null) {
            inOrder.remove(known);
        }
    }

    /**
     * Behind this gate nothing may start until something is given back to these meters; unless that
     * has happened since the moment at which it was so.
     */
    synchronized void full(int gate, Set<Integer> meters, long moment) {
        if (freed.get() == moment) {
            full.put(gate, meters);
        }
    }

    /** Something was given back to these meters. */
    synchronized void freed(Collection<Integer> meters) {
        full.values().removeIf(needed -> needed.stream().anyMatch(meters::contains));
    }

    /** Whether they will do for a claim that otherwise comes to nothing, or for any other. */
    boolean serve(boolean nothing) {
        long age = System.nanoTime() - read;
        boolean changed = queued.get() != queuedBefore;
        return nothing
                ? !changed && age < FRESH_FOR_NOTHING
                : age < (changed ? FRESH_IF_CHANGED : FRESH);
    }

    /** Whether it is up to the caller to read newer ones. */
    boolean mustBeReplaced() {
        return !serve(false) && replacing.compareAndSet(false, true);
    }

    /** The caller has read newer ones or has failed to; then another may try. */
    void replacingIsOver() {
        replacing.set(false);
    }
}
