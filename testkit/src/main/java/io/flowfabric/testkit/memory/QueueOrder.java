package io.flowfabric.testkit.memory;

import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.state.ExecutionState.Ready;

import java.util.Comparator;

/** In which order ready work leaves its lane. */
final class QueueOrder {
    private QueueOrder() {}

    /**
     * Priority, then begun before fresh, then the order of submission; where work ages, its age
     * makes up for priority, and where keys share, the round comes before the order of submission.
     */
    static Comparator<MemoryExecution> in(LaneSettings settings) {
        return Comparator.comparingLong((MemoryExecution row) -> place(settings, row))
                .thenComparing(QueueOrder::fresh)
                .thenComparingLong(row -> row.sequence);
    }

    private static long place(LaneSettings settings, MemoryExecution row) {
        long begun = settings.rank(row.priority, row.submitted.toEpochMilli());
        return fresh(row) ? begun + row.round : begun;
    }

    /** Whether it waits for its first start. */
    static boolean fresh(MemoryExecution row) {
        return row.state instanceof Ready ready && !ready.next().begun();
    }
}
