package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Join.Remaining;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The rows of members and edges of flows. */
public final class MemberTable {
    private MemberTable() {}

    /** A member of a flow. */
    public record FlowMember(UUID flow, MemberRecord member) {
        static FlowMember of(Row row) {
            return new FlowMember(row.uuid("flow"), MemberTable.member(row));
        }
    }

    public static MemberRecord member(Row row) {
        return new MemberRecord(
                row.intValue("number"),
                row.text("name"),
                new ExecutionId(new Partition(row.intValue("part")), row.uuid("execution")),
                new Join(
                        Optional.ofNullable(row.intOrNull("quorum")),
                        row.bool("cancels") ? Remaining.CANCEL : Remaining.LET_RUN),
                row.bool("growing"),
                row.intValue("edges"),
                row.intValue("met"),
                row.intValue("missed"),
                RowCodec.word(Decided.class, row.text("decided")),
                RowCodec.time(row, "ready_at"),
                outcome(row, "outcome"),
                RowCodec.time(row, "ended_at"));
    }

    public static Optional<Outcome> outcome(Row row, String column) {
        return Optional.ofNullable(row.textOrNull(column))
                .map(word -> RowCodec.word(Outcome.class, word));
    }

    public static Arc arc(Row row) {
        return new Arc(row.intValue("upstream"), row.intValue("downstream"), on(row));
    }

    public static Edge.On on(Row row) {
        return row.bool("any_end") ? Edge.On.COMPLETION : Edge.On.SUCCESS;
    }

    /** All members of a flow, in the order of their numbers. */
    public static List<MemberRecord> all(Jdbc db, UUID flow) {
        return db.query("all_members").set("flow", flow).list(MemberTable::member);
    }

    /** All edges of a flow. */
    public static List<Arc> arcs(Jdbc db, UUID flow) {
        return db.query("all_edges").set("flow", flow).list(MemberTable::arc);
    }

    /** Executions as members of these flows. */
    public static List<FlowMember> of(
            Jdbc db, Collection<UUID> executions, Collection<UUID> flows) {
        return db.query("members_of")
                .uuids("executions", executions, id -> id)
                .uuids("flows", flows, id -> id)
                .list(FlowMember::of);
    }

    public static void add(Jdbc tx, UUID flow, List<MemberRecord> members, List<Arc> arcs) {
        if (!members.isEmpty()) {
            counts(tx.query("add_members"), flow, members)
                    .texts("names", members, MemberRecord::name)
                    .uuids("executions", members, member -> member.execution().uuid())
                    .ints("parts", members, member -> member.execution().partition().number())
                    .ints("quorums", members, member -> member.join().quorum().orElse(null))
                    .booleans(
                            "cancels",
                            members,
                            member -> member.join().remaining() == Remaining.CANCEL)
                    .update();
        }
        if (!arcs.isEmpty()) {
            tx.query("add_edges")
                    .set("flow", flow)
                    .ints("upstreams", arcs, Arc::upstream)
                    .ints("downstreams", arcs, Arc::downstream)
                    .booleans("any_ends", arcs, arc -> arc.on() == Edge.On.COMPLETION)
                    .update();
        }
    }

    public static void change(Jdbc tx, UUID flow, Collection<MemberRecord> changed) {
        if (!changed.isEmpty()) {
            var members = List.copyOf(changed);
            counts(tx.query("change_members"), flow, members)
                    .texts(
                            "outcomes",
                            members,
                            member -> member.outcome().map(RowCodec::word).orElse(null))
                    .longs(
                            "ended_ats",
                            members,
                            member -> member.endedAt().map(Instant::toEpochMilli).orElse(null))
                    .update();
        }
    }

    private static Query counts(Query query, UUID flow, List<MemberRecord> members) {
        return query.set("flow", flow)
                .ints("numbers", members, MemberRecord::number)
                .booleans("growing", members, MemberRecord::growing)
                .ints("edges", members, MemberRecord::edges)
                .ints("met", members, MemberRecord::met)
                .ints("missed", members, MemberRecord::missed)
                .texts("decided", members, member -> RowCodec.word(member.decided()))
                .longs(
                        "ready_ats",
                        members,
                        member -> member.readyAt().map(Instant::toEpochMilli).orElse(null));
    }
}
