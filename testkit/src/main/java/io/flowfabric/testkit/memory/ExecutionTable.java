package io.flowfabric.testkit.memory;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** The executions that are stored, in the order of their submission, and how they are found. */
final class ExecutionTable {
    private final Map<UUID, MemoryExecution> rows = new LinkedHashMap<>();
    private final Map<Namespace, Map<String, MemoryExecution>> keys = new HashMap<>();
    private long sequence;

    /** All rows that can be read. */
    List<MemoryExecution> rows() {
        return rows.values().stream().filter(row -> !row.poisoned).toList();
    }

    /** How many rows cannot be read any more, and have to be passed over. */
    int unreadable() {
        return rows.size() - rows().size();
    }

    /**
     * @throws NotFound when there is none of this id
     * @throws StoreFailure when it cannot be read any more
     */
    MemoryExecution find(ExecutionId id) {
        var row = rows.get(id.uuid());
        if (row == null || !row.id().equals(id)) {
            throw new NotFound("execution", id.toString());
        }
        if (row.poisoned) {
            var cause = new IllegalStateException("poisoned by a test");
            throw StoreFailure.unreadable("The execution " + id, cause);
        }
        return row;
    }

    /** The row of a UUID, also one that cannot be read. */
    Optional<MemoryExecution> byUuid(UUID uuid) {
        return Optional.ofNullable(rows.get(uuid));
    }

    /** The row that has the same key in the same namespace: the last that was submitted with it. */
    Optional<MemoryExecution> byKey(Submission submission) {
        return submission.key().map(key -> keysOf(submission.lane().namespace()).get(key));
    }

    /** What a session has leases or grants for. */
    List<MemoryExecution> heldBy(SessionId session) {
        return rows().stream().filter(row -> row.isHeldBy(session)).toList();
    }

    /** Whether a session has leases or grants for anything, also for what cannot be read. */
    boolean isAnyHeldBy(SessionId session) {
        return rows.values().stream().anyMatch(row -> row.isHeldBy(session));
    }

    /** How much a session works on. */
    int runningIn(SessionId session) {
        return (int) heldBy(session).stream().filter(row -> row.state instanceof Running).count();
    }

    MemoryExecution add(Submission submission, Digest digest, ExecutionState begin, Instant now) {
        var row = new MemoryExecution(submission, digest, ++sequence, begin, now);
        rows.put(row.id().uuid(), row);
        submission.key().ifPresent(key -> keysOf(row.lane().namespace()).put(key, row));
        return row;
    }

    /** Removes a row. Its key is free again, unless another one has taken it over. */
    void remove(MemoryExecution row) {
        rows.remove(row.id().uuid());
        row.submission.key().ifPresent(key -> keysOf(row.lane().namespace()).remove(key, row));
    }

    private Map<String, MemoryExecution> keysOf(Namespace namespace) {
        return keys.computeIfAbsent(namespace, unknown -> new HashMap<>());
    }
}
