package io.flowfabric.postgres.internal.ready;

import io.flowfabric.postgres.internal.catalog.LaneGate;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Up to where the fresh work of a lane has been taken, so that claims begin there.
 *
 * <p>Entries that were taken stay in the index until the server knows that nobody can see them any
 * more. While somebody anywhere in the database keeps a snapshot open, they pile up in front of
 * what is there, and a claim that began at the bottom would step over all of them.
 *
 * <p>A mark is no more than a guess that there is nothing below it: work that became ready out of
 * order, or whose submission committed late, lies behind it. What this process does itself it knows
 * about; for the rest a claim begins at the bottom once in a while.
 */
public final class LowWaterMarks {
    /** With more ranks than this, as in lanes where work ages, marks would not pay. */
    private static final int MOST_RANKS = 8;

    /** A claim during which more is queued than this notes nothing. */
    private static final int MOST_RECENT = 256;

    /**
     * A stretch of entries between two marks.
     *
     * @param from the first mark; entries after it are meant
     * @param toRank the rank of the second one; of this rank only work that was begun is meant
     */
    public record Stretch(LaneGate gate, QueuePosition from, long toRank) {}

    /**
     * Where one claim looks.
     *
     * @param stretches where; none means everywhere
     */
    public record Look(List<Stretch> stretches, long generation, BottomLooks.Start start) {}

    /** A look that no mark bounds, and that leaves none. */
    public static final Look EVERYWHERE = new Look(List.of(), -1, new BottomLooks.Start(false, 0));

    /** The number of the last work that was taken, by gate and rank. */
    private final Map<LaneGate, SortedMap<Long, Long>> marks = new HashMap<>();

    /** Work that became ready, with its lowest number. */
    private record Queued(int lane, long firstSeq) {}

    /** What was queued last, and a claim that is under way may not have seen. */
    private final Deque<Queued> recent = new ArrayDeque<>();

    /** How often something was queued, or everything forgotten. */
    private long generation;

    private final BottomLooks bottomLooks;

    public LowWaterMarks() {
        this(new BottomLooks());
    }

    LowWaterMarks(BottomLooks bottomLooks) {
        this.bottomLooks = bottomLooks;
    }

    /** Where to look now. */
    public synchronized Look look() {
        var start = bottomLooks.begin();
        if (start.bottom()) {
            forgetAll();
        }
        var stretches = new ArrayList<Stretch>();
        marks.forEach((gate, ranks) -> stretches.addAll(between(gate, ranks)));
        return new Look(stretches, generation, start);
    }

    /** Notes what a claim took, as far as it is not behind what was queued meanwhile. */
    public synchronized void taken(Look look, Collection<EntryPlace> places) {
        bottomLooks.over(look.start);
        long missed = generation - look.generation;
        if (missed > recent.size()) {
            return;
        }
        var unseen = new HashMap<Integer, Long>();
        var latest = recent.descendingIterator();
        for (long i = 0; i < missed; i++) {
            var queued = latest.next();
            unseen.merge(queued.lane, queued.firstSeq, Math::min);
        }
        for (var place : places) {
            var at = place.position();
            if (at.fresh()) {
                var ranks = marks.computeIfAbsent(place.gate(), first -> new TreeMap<>());
                long before = unseen.getOrDefault(place.gate().lane(), Long.MAX_VALUE) - 1;
                ranks.merge(at.rank(), Math.min(at.seq(), before), Math::max);
                if (ranks.size() > MOST_RANKS) {
                    ranks.clear();
                }
            }
        }
    }

    /**
     * Fresh work became ready in a lane, with numbers from this one on: marks that are behind it
     * are moved before it. Work that was begun needs none of this, because no mark hides it.
     */
    public synchronized void queued(int lane, long firstSeq) {
        for (var entry : marks.entrySet()) {
            if (entry.getKey().lane() == lane) {
                entry.getValue().replaceAll((rank, mark) -> Math.min(mark, firstSeq - 1));
            }
        }
        recent.addLast(new Queued(lane, firstSeq));
        if (recent.size() > MOST_RECENT) {
            recent.removeFirst();
        }
        generation++;
    }

    /** Something may have become ready anywhere in the order. */
    public synchronized void forgetAll() {
        marks.clear();
        recent.clear();
        generation++;
    }

    private static List<Stretch> between(LaneGate gate, SortedMap<Long, Long> ranks) {
        var stretches = new ArrayList<Stretch>();
        var from = QueuePosition.FIRST;
        for (var mark : ranks.entrySet()) {
            stretches.add(new Stretch(gate, from, mark.getKey()));
            from = new QueuePosition(mark.getKey(), true, mark.getValue());
        }
        stretches.add(new Stretch(gate, from, Long.MAX_VALUE));
        return stretches;
    }
}
