package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Join.Remaining;
import io.flowfabric.core.query.Fact.PendingUpstreams;
import io.flowfabric.core.query.Fact.PendingUpstreams.PendingMember;
import io.flowfabric.core.state.Situation;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What a member of a flow waits for. */
final class PendingUpstreamReader {
    private PendingUpstreamReader() {}

    /** What is kept of the member, the same in each row, with one that it waits for. */
    private record Waiting(
            Optional<Integer> quorum,
            boolean growing,
            int edges,
            int met,
            int missed,
            Optional<PendingMember> upstream) {
        static Waiting of(Row row) {
            return new Waiting(
                    Optional.ofNullable(row.intOrNull("quorum")),
                    row.bool("growing"),
                    row.intValue("edges"),
                    row.intValue("met"),
                    row.intValue("missed"),
                    Optional.ofNullable(row.textOrNull("name"))
                            .map(name -> new PendingMember(name, state(row).publicState())));
        }

        private static Situation state(Row row) {
            return RowCodec.word(Situation.class, row.text("situation"));
        }
    }

    /** Reads it of a member, if that is not decided yet. */
    static Optional<PendingUpstreams> read(Jdbc tx, UUID flow, ExecutionId member) {
        var rows =
                tx.query("pending_upstreams")
                        .set("flow", flow)
                        .set("id", member.uuid())
                        .set("limit", PendingUpstreams.MOST)
                        .list(Waiting::of);
        return rows.stream().findFirst().map(its -> upstreams(its, rows));
    }

    private static PendingUpstreams upstreams(Waiting its, List<Waiting> rows) {
        return PendingUpstreams.of(
                // What becomes of the others does not matter while it waits.
                new Join(its.quorum, Remaining.LET_RUN),
                its.growing,
                its.edges,
                its.met,
                its.missed,
                rows.stream().flatMap(row -> row.upstream.stream()).toList());
    }
}
