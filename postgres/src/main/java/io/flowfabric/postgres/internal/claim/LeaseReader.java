package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/** Makes leases of rows; what cannot be read is set aside instead of failing the others. */
public final class LeaseReader {
    private final List<Raw> rows = new ArrayList<>();

    /** The columns of a lease, before the numbers in them are looked up. */
    private record Raw(
            ExecutionId id,
            int lane,
            int gate,
            int policy,
            Optional<LeasePurpose> next,
            int attempts,
            long epoch,
            int retries,
            Optional<Instant> deadline,
            Instant since,
            @Nullable Integer priority,
            @Nullable String start,
            @Nullable String deadlineDue,
            @Nullable String share,
            List<Long> reserve,
            String type,
            @Nullable Payload input,
            @Nullable Integer size,
            Tags tags,
            @Nullable Integer stepBytes,
            @Nullable UUID flow) {
        /** Whether the input is too large to come with the row. */
        boolean large() {
            return input == null && size != null;
        }

        long inputSize() {
            return Objects.requireNonNull(size);
        }

        /** Whether steps were recorded, and come with the lease. */
        boolean bringsSteps() {
            return stepBytes != null && StepRecording.comeWithLease(stepBytes);
        }

        long stepSize() {
            return Objects.requireNonNull(stepBytes);
        }

        /** A lease with the steps of its execution, or the word that they are to be read. */
        Lease withSteps(Lease lease, Map<UUID, List<Step>> recorded) {
            if (stepBytes == null) {
                return lease;
            }
            return bringsSteps()
                    ? lease.steps(recorded.getOrDefault(id.uuid(), List.of()))
                    : lease.withStepsApart();
        }
    }

    /** What could be read, and the ids of what could not. */
    public record Read(List<Lease> leases, List<UUID> unreadable) {}

    public void add(Row row) {
        var type = row.text("content_type");
        var input = row.bytesOrNull("input");
        rows.add(
                new Raw(
                        RowCodec.id(row),
                        row.intValue("lane"),
                        row.intValue("gate"),
                        row.intValue("policy"),
                        RowCodec.known(LeasePurpose.class, row.text("next")),
                        row.intValue("attempts"),
                        row.longValue("epoch"),
                        row.intValue("retries"),
                        RowCodec.time(row, "deadline"),
                        RowCodec.moment(row, "since"),
                        row.intOrNull("first_priority"),
                        row.textOrNull("start_due"),
                        row.textOrNull("deadline_due"),
                        row.textOrNull("share"),
                        RowCodec.reserve(row),
                        type,
                        input == null ? null : Payload.of(input, type),
                        row.intOrNull("input_size"),
                        RowCodec.tags(row.texts("tags")),
                        row.intOrNull("step_bytes"),
                        row.uuidOrNull("flow")));
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    public Read read(Jdbc db, Catalog catalog, SessionId session) {
        var lanes = new HashSet<Integer>();
        var gates = new HashSet<Integer>();
        var policies = new HashSet<Integer>();
        for (Raw row : rows) {
            lanes.add(row.lane);
            gates.add(row.gate);
            policies.add(row.policy);
        }
        var laneOf = catalog.lanes().byNumber(db, lanes);
        var gateOf = catalog.gates().byNumber(db, gates);
        var policyOf = catalog.policies().byNumber(db, policies);
        var large = largeInputs(db);
        var damaged = new HashSet<UUID>();
        var steps = steps(db, damaged);
        var upstreams = upstreams(db);
        var leases = new ArrayList<Lease>(rows.size());
        var unreadable = new ArrayList<UUID>();
        for (Raw row : rows) {
            var gate = gateOf.get(row.gate);
            var shared = policyOf.get(row.policy);
            var input = row.large() ? read(large.get(row.id.uuid()), row.type) : row.input;
            if (gate == null
                    || shared == null
                    || row.next.isEmpty()
                    || row.priority == null
                    || row.start == null
                    || input == null
                    || damaged.contains(row.id.uuid())
                    || row.reserve.size() != gate.reservations()) {
                unreadable.add(row.id.uuid());
                continue;
            }
            var lease =
                    new Lease(
                            new Fence(row.id, row.attempts - 1, row.epoch),
                            session,
                            row.next.get(),
                            laneOf.lane(row.lane),
                            gate.kind(),
                            input,
                            row.tags,
                            RowCodec.policy(
                                    shared,
                                    gate,
                                    row.priority,
                                    PolicyCodec.readDue(row.start),
                                    Optional.ofNullable(row.deadlineDue).map(PolicyCodec::readDue),
                                    Optional.ofNullable(row.share),
                                    row.reserve),
                            row.retries,
                            row.since,
                            row.deadline);
            leases.add(upstreams.with(row.withSteps(lease, steps)));
        }
        return new Read(leases, unreadable);
    }

    /** The inputs that did not come with their rows, a bounded number of bytes at a time. */
    private Map<UUID, byte[]> largeInputs(Jdbc db) {
        var inputs = new HashMap<UUID, byte[]>();
        var large = rows.stream().filter(Raw::large).toList();
        for (var part : Chunks.of(large, Integer.MAX_VALUE, Raw::inputSize)) {
            db.query("large_inputs")
                    .uuids("ids", part, row -> row.id.uuid())
                    .each(row -> inputs.put(row.uuid("id"), row.bytes("bytes")));
        }
        return inputs;
    }

    /**
     * The steps that come with their leases; where none were recorded nothing is asked.
     *
     * @param damaged the executions of which one cannot be read are added here
     */
    private Map<UUID, List<Step>> steps(Jdbc db, Set<UUID> damaged) {
        var steps = new HashMap<UUID, List<Step>>();
        var recorded = rows.stream().filter(Raw::bringsSteps).toList();
        for (var part : Chunks.of(recorded, Integer.MAX_VALUE, Raw::stepSize)) {
            db.query("leased_steps")
                    .uuids("ids", part, row -> row.id.uuid())
                    .each(
                            row -> {
                                var id = row.uuid("execution");
                                try {
                                    steps.computeIfAbsent(id, first -> new ArrayList<>())
                                            .add(RowCodec.step(row));
                                } catch (Invalid unreadable) {
                                    damaged.add(id);
                                }
                            });
        }
        return steps;
    }

    /** What members of flows come after; where none was claimed nothing is asked. */
    private LeasedUpstreams upstreams(Jdbc db) {
        var flows = new LinkedHashMap<UUID, UUID>();
        for (Raw row : rows) {
            if (row.flow != null) {
                flows.put(row.id.uuid(), row.flow);
            }
        }
        return flows.isEmpty() ? LeasedUpstreams.NONE : LeasedUpstreams.read(db, flows);
    }

    private static @Nullable Payload read(byte @Nullable [] large, String type) {
        return large == null ? null : Payload.of(large, type);
    }
}
