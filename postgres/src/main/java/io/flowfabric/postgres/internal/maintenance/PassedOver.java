package io.flowfabric.postgres.internal.maintenance;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Executions that a sweep of this process could do nothing for, and leaves alone for a while: each
 * is told once a minute in the log, and not with every round.
 */
final class PassedOver {
    private static final long LATER = Duration.ofMinutes(1).toNanos();

    /** More would mean that something else is wrong; then they are tried again sooner. */
    private static final int MOST = 10_000;

    private final Map<UUID, Long> since = new ConcurrentHashMap<>();

    void add(UUID execution) {
        if (since.size() >= MOST) {
            since.clear();
        }
        since.put(execution, System.nanoTime());
    }

    /** Those of them that are worth another try. */
    List<UUID> without(Collection<UUID> executions) {
        if (!since.isEmpty()) {
            long now = System.nanoTime();
            since.values().removeIf(at -> now - at > LATER);
        }
        return executions.stream().filter(id -> !since.containsKey(id)).toList();
    }
}
