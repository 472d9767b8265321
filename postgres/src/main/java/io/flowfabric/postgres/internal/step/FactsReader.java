package io.flowfabric.postgres.internal.step;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.catalog.UnknownWord;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads the facts of executions under their locks. */
public final class FactsReader {
    private FactsReader() {}

    /**
     * A locked row.
     *
     * @param facts nothing when what is stored cannot be read
     * @param ofNewerProgram whether it cannot be read because a newer program wrote it
     * @param now the moment by the clock that decides
     * @param slots the meters that it counts against
     * @param flow the flow that it is a member of, if it is one
     */
    public record Locked(
            ExecutionId id,
            Optional<Facts> facts,
            boolean ofNewerProgram,
            Instant now,
            int lane,
            String kind,
            long epoch,
            List<Integer> slots,
            Optional<UUID> flow) {}

    /**
     * Locks executions, in the order of their ids.
     *
     * @param statement {@code facts} waits for whoever is at one of them, {@code free_facts} passes
     *     it over
     */
    public static Map<UUID, Locked> lock(
            String statement, Jdbc tx, PostgresContext postgres, Collection<UUID> ids) {
        record Raw(
                ExecutionId id,
                int lane,
                long epoch,
                List<Integer> slots,
                int gate,
                int policy,
                Optional<ExecutionState> state,
                int priority,
                int attempts,
                int retries,
                int reclaims,
                int replays,
                Optional<Instant> deadline,
                Optional<Instant> lastProgress,
                boolean waited,
                Instant now,
                @Nullable Integer firstPriority,
                @Nullable String start,
                @Nullable String deadlineDue,
                @Nullable String share,
                List<Long> reserve,
                @Nullable UUID flow) {}
        List<Raw> rows = new ArrayList<>();
        tx.query(statement)
                .set("now", postgres.now())
                .uuids("ids", ids, id -> id)
                .each(
                        row ->
                                rows.add(
                                        new Raw(
                                                RowCodec.id(row),
                                                row.intValue("lane"),
                                                row.longValue("epoch"),
                                                RowCodec.slots(row),
                                                row.intValue("gate"),
                                                row.intValue("policy"),
                                                state(row),
                                                row.intValue("priority"),
                                                row.intValue("attempts"),
                                                row.intValue("retries"),
                                                row.intValue("reclaims"),
                                                row.intValue("replays"),
                                                RowCodec.time(row, "deadline"),
                                                RowCodec.time(row, "progress_at"),
                                                Boolean.TRUE.equals(row.boolOrNull("waited")),
                                                RowCodec.moment(row, "now"),
                                                row.intOrNull("first_priority"),
                                                row.textOrNull("start_due"),
                                                row.textOrNull("deadline_due"),
                                                row.textOrNull("share"),
                                                RowCodec.reserve(row),
                                                row.uuidOrNull("flow"))));
        var awaiting = awaiting(tx, rows.stream().filter(Raw::waited).map(Raw::id).toList());
        var gates = postgres.catalog().gates().byNumber(tx, rows.stream().map(Raw::gate).toList());
        var policies =
                postgres.catalog().policies().byNumber(tx, rows.stream().map(Raw::policy).toList());
        var locked = new HashMap<UUID, Locked>();
        for (Raw row : rows) {
            var gate = gates.get(row.gate);
            var shared = policies.get(row.policy);
            var priority = row.firstPriority;
            var start = row.start;
            Optional<Facts> facts =
                    gate == null
                                    || shared == null
                                    || row.state.isEmpty()
                                    || priority == null
                                    || start == null
                                    || row.reserve.size() != gate.reservations()
                                    || (row.waited && !awaiting.containsKey(row.id.uuid()))
                            ? Optional.empty()
                            : Optional.of(
                                    new Facts(
                                            row.id,
                                            RowCodec.policy(
                                                    shared,
                                                    gate,
                                                    priority,
                                                    PolicyCodec.readDue(start),
                                                    Optional.ofNullable(row.deadlineDue)
                                                            .map(PolicyCodec::readDue),
                                                    Optional.ofNullable(row.share),
                                                    row.reserve),
                                            row.state.get(),
                                            row.priority,
                                            row.attempts,
                                            row.retries,
                                            row.reclaims,
                                            row.replays,
                                            row.deadline,
                                            row.lastProgress,
                                            awaiting.getOrDefault(
                                                    row.id.uuid(), Awaiting.NOTHING)));
            locked.put(
                    row.id.uuid(),
                    new Locked(
                            row.id,
                            facts,
                            facts.isEmpty()
                                    && (row.state.isEmpty()
                                            || (row.waited && !awaiting.containsKey(row.id.uuid()))
                                            || postgres.catalog()
                                                    .policies()
                                                    .isOfNewerProgram(row.policy)),
                            row.now,
                            row.lane,
                            gate == null ? "" : gate.kind(),
                            row.epoch,
                            row.slots,
                            Optional.ofNullable(row.flow)));
        }
        return locked;
    }

    /** What is remembered of those that have waited, as far as this program can read it. */
    private static Map<UUID, Awaiting> awaiting(Jdbc tx, List<ExecutionId> waited) {
        var found = new HashMap<UUID, Awaiting>();
        if (waited.isEmpty()) {
            return found;
        }
        record Size(UUID id, long bytes) {}
        var sizes =
                tx.query("awaiting_sizes")
                        .uuids("ids", waited, ExecutionId::uuid)
                        .list(row -> new Size(row.uuid("id"), row.longValue("bytes")));
        for (var part : Chunks.of(sizes, sizes.size(), Size::bytes)) {
            tx.query("awaiting_of")
                    .uuids("ids", part, Size::id)
                    .each(
                            row ->
                                    WaitBatch.readable(row)
                                            .ifPresent(one -> found.put(row.uuid("id"), one)));
        }
        return found;
    }

    private static Optional<ExecutionState> state(Row row) {
        try {
            return Optional.of(RowCodec.state(row));
        } catch (UnknownWord ofNewerProgram) {
            return Optional.empty();
        }
    }

    public static Locked readable(ExecutionId id, @Nullable Locked row) {
        if (row == null || !row.id().equals(id)) {
            throw new NotFound("execution", id.toString());
        }
        if (row.facts().isEmpty()) {
            throw unreadable(id);
        }
        return row;
    }

    public static StoreFailure unreadable(ExecutionId id) {
        return StoreFailure.unreadable(
                "The execution " + id,
                new IllegalStateException(
                        "its policy, gate or submission is missing or damaged, or a newer program"
                                + " wrote it"));
    }
}
