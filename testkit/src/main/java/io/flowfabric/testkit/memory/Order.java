package io.flowfabric.testkit.memory;

import io.flowfabric.core.contract.LaneSettings;
import io.flowfabric.core.state.ExecutionState.Ready;

import java.util.Comparator;

/** In which order ready work leaves its lane. */
final class Order {
    private Order() {}

    /**
     * Priority, then begun before fresh, then the order of submission; where work ages, its age
     * makes up for priority, and where keys share, the round comes before the order of submission.
     */
    static Comparator<Row> in(LaneSettings settings) {
        return Comparator.comparingLong((Row row) -> place(settings, row))
                .thenComparing(Order::fresh)
                .thenComparingLong(row -> row.sequence);
    }

    private static long place(LaneSettings settings, Row row) {
        long begun = settings.rank(row.priority, row.submitted.toEpochMilli());
        return fresh(row) ? begun + row.round : begun;
    }

    /** Whether it waits for its first start. */
    static boolean fresh(Row row) {
        return row.state instanceof Ready ready && !ready.next().begun();
    }
}
