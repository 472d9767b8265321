package io.flowfabric.postgres.internal.ready;

import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.Comparator;

/** A position in the order in which the work of a lane is claimed. */
public record QueuePosition(long rank, boolean fresh, long seq) {
    /** Before all work. */
    static final QueuePosition FIRST = new QueuePosition(-Long.MAX_VALUE, false, 0);

    /** Behind all work. */
    static final QueuePosition LAST = new QueuePosition(Long.MAX_VALUE, true, Long.MAX_VALUE);

    static final Comparator<QueuePosition> ORDER =
            Comparator.comparingLong(QueuePosition::rank)
                    .thenComparing(QueuePosition::fresh)
                    .thenComparingLong(QueuePosition::seq);

    /** Reads the columns that every statement gives these names. */
    public static QueuePosition of(Row row) {
        return new QueuePosition(row.longValue("rank"), row.bool("fresh"), row.longValue("seq"));
    }
}
