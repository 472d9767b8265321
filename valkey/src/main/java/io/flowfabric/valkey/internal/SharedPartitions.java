package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Partitions whose ids lead into a spread namespace. Before the first such id is used there, the
 * partition is told: from then on it takes nothing from processes that have not heard of the
 * namespace. What it had before that has taken ids of which nothing is known elsewhere.
 */
final class SharedPartitions {
    /** So long a call waits for a partition to be told again, which it can do without. */
    private static final Duration RENEWAL = Duration.ofSeconds(1);

    private final ValkeyContext valkey;
    private final FunctionCalls renewal;
    private final LastingNotes<Partition> told = new LastingNotes<>();
    private final Map<Partition, Boolean> shared = new ConcurrentHashMap<>();

    SharedPartitions(ValkeyContext valkey) {
        this.valkey = valkey;
        this.renewal = valkey.urgent(RENEWAL);
        valkey.whenInDoubt(told::doubt);
    }

    /**
     * Whether some work took an id of a partition before a namespace was spread that its ids lead
     * into: then it is asked for, too.
     */
    boolean isShared(Partition partition) {
        told.make(partition, () -> tell(partition, valkey), () -> tell(partition, renewal));
        return shared.getOrDefault(partition, false);
    }

    private void tell(Partition partition, FunctionCalls calls) {
        boolean used = calls.leave("ids_lead_away", partition, out -> out.list(0)).answer().truth();
        shared.merge(partition, used, Boolean::logicalOr);
    }
}
