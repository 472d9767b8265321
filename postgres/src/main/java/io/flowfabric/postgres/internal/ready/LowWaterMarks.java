package io.flowfabric.postgres.internal.ready;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
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
    private static final long BOTTOM_EVERY = Duration.ofSeconds(1).toNanos();

    /** With more ranks than this, as in lanes where work ages, marks would not pay. */
    private static final int MOST_RANKS = 8;

    /**
     * A stretch of entries between two marks: after one of them, and up to another's work begun.
     */
    public record Stretch(
            int lane,
            int gate,
            long fromRank,
            boolean fromFresh,
            long fromSeq,
            long toRank,
            boolean toFresh) {}

    /** Where one claim looks; none means everywhere. */
    public record Look(List<Stretch> stretches, long generation) {}

    /** A look that no mark bounds, and that leaves none. */
    public static final Look EVERYWHERE = new Look(List.of(), -1);

    /** The place of an entry. */
    public record Place(int lane, int gate, long rank, boolean fresh, long seq) {}

    private record Queue(int lane, int gate) {}

    private final Map<Queue, SortedMap<Long, Long>> marks = new HashMap<>();
    private long generation;
    private long bottomDue = System.nanoTime();

    /** Where to look now. */
    public synchronized Look look() {
        if (System.nanoTime() - bottomDue >= 0) {
            bottomDue = System.nanoTime() + BOTTOM_EVERY;
            forgetAll();
        }
        var stretches = new ArrayList<Stretch>();
        marks.forEach((queue, ranks) -> stretches.addAll(between(queue, ranks)));
        return new Look(stretches, generation);
    }

    /** Notes what a claim took, unless something has come up behind it meanwhile. */
    public synchronized void taken(Look look, Collection<Place> places) {
        if (look.generation != generation) {
            return;
        }
        for (Place place : places) {
            if (place.fresh) {
                var ranks =
                        marks.computeIfAbsent(
                                new Queue(place.lane, place.gate), first -> new TreeMap<>());
                ranks.merge(place.rank, place.seq, Math::max);
                if (ranks.size() > MOST_RANKS) {
                    ranks.clear();
                }
            }
        }
    }

    /** Fresh work became ready in a lane, with numbers from this one on. */
    public synchronized void submitted(int lane, long firstSeq) {
        boolean behind =
                marks.entrySet().stream()
                        .filter(entry -> entry.getKey().lane == lane)
                        .flatMap(entry -> entry.getValue().values().stream())
                        .anyMatch(mark -> mark >= firstSeq);
        if (behind) {
            forgetAll();
        }
    }

    /** Something may have become ready anywhere in the order. */
    public synchronized void forgetAll() {
        marks.clear();
        generation++;
    }

    private static List<Stretch> between(Queue queue, SortedMap<Long, Long> ranks) {
        var stretches = new ArrayList<Stretch>();
        long fromRank = -Long.MAX_VALUE;
        boolean fromFresh = false;
        long fromSeq = 0;
        for (var mark : ranks.entrySet()) {
            stretches.add(
                    new Stretch(
                            queue.lane,
                            queue.gate,
                            fromRank,
                            fromFresh,
                            fromSeq,
                            mark.getKey(),
                            true));
            fromRank = mark.getKey();
            fromFresh = true;
            fromSeq = mark.getValue();
        }
        stretches.add(
                new Stretch(
                        queue.lane,
                        queue.gate,
                        fromRank,
                        fromFresh,
                        fromSeq,
                        Long.MAX_VALUE,
                        true));
        return stretches;
    }
}
