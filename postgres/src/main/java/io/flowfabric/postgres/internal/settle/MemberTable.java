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

    /** An edge of a flow. */
    public record FlowArc(UUID flow, Arc arc) {}

    /** Members as those of a flow. */
    public static List<FlowMember> of(UUID flow, Collection<MemberRecord> members) {
        return members.stream().map(member -> new FlowMember(flow, member)).toList();
    }

    /** Edges as those of a flow. */
    public static List<FlowArc> arcsOf(UUID flow, Collection<Arc> arcs) {
        return arcs.stream().map(arc -> new FlowArc(flow, arc)).toList();
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

    /** The arc to the member that a row shows. */
    static Arc arcTo(Row row) {
        return new Arc(row.intValue("upstream"), row.intValue("number"), on(row));
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

    public static void add(Jdbc tx, List<FlowMember> members, List<FlowArc> arcs) {
        if (!members.isEmpty()) {
            counts(tx.query("add_members"), members)
                    .texts("names", members, one -> one.member.name())
                    .uuids("executions", members, one -> one.member.execution().uuid())
                    .ints("parts", members, one -> one.member.execution().partition().number())
                    .ints("quorums", members, one -> one.member.join().quorum().orElse(null))
                    .booleans(
                            "cancels",
                            members,
                            one -> one.member.join().remaining() == Remaining.CANCEL)
                    .update();
        }
        if (!arcs.isEmpty()) {
            tx.query("add_edges")
                    .uuids("flows", arcs, FlowArc::flow)
                    .ints("upstreams", arcs, one -> one.arc.upstream())
                    .ints("downstreams", arcs, one -> one.arc.downstream())
                    .booleans("any_ends", arcs, one -> one.arc.on() == Edge.On.COMPLETION)
                    .update();
        }
    }

    /** Says what has become of members. */
    static Query changed(Query query, List<FlowMember> members) {
        return counts(query, members)
                .texts(
                        "outcomes",
                        members,
                        one -> one.member.outcome().map(RowCodec::word).orElse(null))
                .longs(
                        "ended_ats",
                        members,
                        one -> one.member.endedAt().map(Instant::toEpochMilli).orElse(null));
    }

    private static Query counts(Query query, List<FlowMember> members) {
        return query.uuids("flows", members, FlowMember::flow)
                .ints("numbers", members, one -> one.member.number())
                .booleans("growing", members, one -> one.member.growing())
                .ints("edges", members, one -> one.member.edges())
                .ints("met", members, one -> one.member.met())
                .ints("missed", members, one -> one.member.missed())
                .texts("decided", members, one -> RowCodec.word(one.member.decided()))
                .longs(
                        "ready_ats",
                        members,
                        one -> one.member.readyAt().map(Instant::toEpochMilli).orElse(null));
    }
}
