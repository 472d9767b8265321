package io.flowfabric.postgres.internal.step;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Executions that a sweep of this process could do nothing for, and for a while leaves alone, or
 * does not tell of again: once a minute is enough.
 */
public final class PassedOver {
    private static final long LATER = Duration.ofMinutes(1).toNanos();

    /** More would mean that something else is wrong; then they are tried again sooner. */
    private static final int MOST = 10_000;

    private final Map<UUID, Long> since = new ConcurrentHashMap<>();

    /** Notes one, and says whether it was not among them. */
    public boolean add(UUID execution) {
        forgetOld();
        if (since.size() >= MOST) {
            since.clear();
        }
        return since.putIfAbsent(execution, System.nanoTime()) == null;
    }

    /** Those of them that are worth another try. */
    public List<UUID> without(Collection<UUID> executions) {
        forgetOld();
        return executions.stream().filter(id -> !since.containsKey(id)).toList();
    }

    private void forgetOld() {
        if (!since.isEmpty()) {
            long now = System.nanoTime();
            since.values().removeIf(at -> now - at > LATER);
        }
    }
}
