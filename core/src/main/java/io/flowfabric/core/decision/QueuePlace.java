package io.flowfabric.core.decision;

import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.LeasePurpose;

import java.time.Instant;
import java.util.Comparator;

/**
 * Where ready work stands in its lane: by rank, then begun before fresh, then in the order of
 * submission. Where work ages, its age makes up for priority; where keys share, fresh work goes in
 * rounds.
 *
 * @param rank lower goes first
 * @param fresh whether it waits for its first start
 * @param sequence its number in the order of submission
 */
public record QueuePlace(long rank, boolean fresh, long sequence)
        implements Comparable<QueuePlace> {
    private static final Comparator<QueuePlace> ORDER =
            Comparator.comparingLong(QueuePlace::rank)
                    .thenComparing(QueuePlace::fresh)
                    .thenComparingLong(QueuePlace::sequence);

    /**
     * The place of work in a lane with these settings.
     *
     * @param next what its next lease is for
     * @param round whose turn it is, of fresh work in a lane where keys share; 0 otherwise
     */
    public static QueuePlace of(
            LaneSettings settings,
            int priority,
            Instant submitted,
            LeasePurpose next,
            long round,
            long sequence) {
        boolean fresh = !next.begun();
        long begun = settings.rank(priority, submitted.toEpochMilli());
        return new QueuePlace(fresh ? begun + round : begun, fresh, sequence);
    }

    @Override
    public int compareTo(QueuePlace other) {
        return ORDER.compare(this, other);
    }
}
