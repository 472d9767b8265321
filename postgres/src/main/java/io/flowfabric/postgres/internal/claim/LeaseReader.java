package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.PolicyCodec;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
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
            @Nullable Payload input,
            @Nullable Tags tags) {}

    /**
     * What could be read, and what could not.
     *
     * @param unreadable the ids of what is damaged
     * @param ofNewerPrograms the fences of what a newer program wrote, and can read
     */
    public record Read(List<Lease> leases, List<UUID> unreadable, List<Fence> ofNewerPrograms) {
        /** How many could not be read. */
        public int passedOver() {
            return unreadable.size() + ofNewerPrograms.size();
        }
    }

    public void add(Row row) {
        var type = row.textOrNull("content_type");
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
                        type == null ? null : Payload.of(row.bytes("input"), type),
                        type == null ? null : RowCodec.tags(row.texts("tags"))));
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
        catalog.lanes().load(db, lanes);
        var gateOf = catalog.gates().byNumber(db, gates);
        var policyOf = catalog.policies().byNumber(db, policies);
        var leases = new ArrayList<Lease>(rows.size());
        var unreadable = new ArrayList<UUID>();
        var ofNewerPrograms = new ArrayList<Fence>();
        for (Raw row : rows) {
            var fence = new Fence(row.id, row.attempts - 1, row.epoch);
            var gate = gateOf.get(row.gate);
            var shared = policyOf.get(row.policy);
            if (row.next.isEmpty() || catalog.policies().isOfNewerProgram(row.policy)) {
                ofNewerPrograms.add(fence);
                continue;
            }
            if (gate == null
                    || shared == null
                    || row.priority == null
                    || row.start == null
                    || row.input == null
                    || row.tags == null
                    || row.reserve.size() != gate.reservations()) {
                unreadable.add(row.id.uuid());
                continue;
            }
            leases.add(
                    new Lease(
                            fence,
                            session,
                            row.next.get(),
                            catalog.lanes().lane(row.lane),
                            gate.kind(),
                            row.input,
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
                            row.deadline));
        }
        return new Read(leases, unreadable, ofNewerPrograms);
    }
}
