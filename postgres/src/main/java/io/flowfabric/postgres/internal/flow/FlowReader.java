package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Flows.FlowFilter;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.state.Situation;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.RowReader;
import io.flowfabric.postgres.internal.settle.FlowTable;
import io.flowfabric.postgres.internal.settle.LockedFlow;
import io.flowfabric.postgres.internal.settle.MemberTable;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;

/** What can be read of flows. */
final class FlowReader {
    private final PostgresContext postgres;
    private final FlowTable flows;

    FlowReader(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
    }

    /**
     * A flow as it is.
     *
     * @throws NotFound when there is none of this id
     */
    FlowView describe(FlowId id) {
        return describe(List.of(id)).getFirst().orThrow();
    }

    List<Answer<FlowView>> describe(List<FlowId> ids) {
        var found = flows.read(postgres.db(), ids.stream().map(FlowId::uuid).toList());
        return ids.stream()
                .map(
                        id ->
                                Optional.ofNullable(found.get(id.uuid()))
                                        .map(LockedFlow::record)
                                        .filter(flow -> flow.id().equals(id))
                                        .map(flow -> Answer.done(FlowView.of(flow)))
                                        .orElseGet(() -> notFound(id)))
                .toList();
    }

    private static <T> Answer<T> notFound(FlowId id) {
        return Answer.refused(new NotFound("flow", id.toString()));
    }

    List<Answer<Payload>> inputs(List<FlowId> ids) {
        var found = new HashMap<FlowId, Answer<Payload>>();
        postgres.db()
                .query("flow_inputs")
                .uuids("ids", ids, FlowId::uuid)
                .each(
                        row ->
                                found.put(
                                        LockedFlow.id(row),
                                        Answer.done(
                                                Payload.of(
                                                        row.bytes("bytes"),
                                                        row.text("content_type")))));
        return ids.stream().map(id -> found.getOrDefault(id, notFound(id))).toList();
    }

    Page<MemberView> members(FlowId flow, Cursor after, int max) {
        return page(
                flow,
                "members_listed",
                after,
                max,
                row ->
                        MemberView.of(
                                MemberTable.member(row),
                                Optional.ofNullable(row.textOrNull("situation"))
                                        .map(word -> RowCodec.word(Situation.class, word))
                                        .map(Situation::publicState)));
    }

    Page<Edge> edges(FlowId flow, Cursor after, int max) {
        return page(
                flow,
                "edges_listed",
                after,
                max,
                row -> new Edge(row.text("upstream"), row.text("downstream"), MemberTable.on(row)));
    }

    private <T> Page<T> page(
            FlowId flow, String statement, Cursor after, int max, RowReader<T> reader) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        var unused = describe(flow);
        var found =
                postgres.db()
                        .query(statement)
                        .set("flow", flow.uuid())
                        .set("from", before)
                        .set("limit", max + 1)
                        .list(reader);
        return NumberedPages.page(before, found, item -> 0, max, false);
    }

    /** A flow with its place in the listing. */
    private record Listed(FlowView view, long seq) {
        byte[] position() {
            return ByteBuffer.allocate(Long.BYTES).putLong(seq).array();
        }
    }

    Page<FlowView> list(FlowFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var found =
                postgres.db()
                        .query("flows_listed")
                        .set("now", postgres.now())
                        .set("namespace", filter.namespace().name())
                        .set("before", before(after))
                        .texts("states", filter.states(), FlowState::wire)
                        .set("kind", filter.kind().orElse(null))
                        .set("limit", max + 1)
                        .list(
                                row ->
                                        new Listed(
                                                FlowView.of(LockedFlow.of(row).record()),
                                                row.longValue("seq")));
        var page = ListingPages.page(found, max, Listed::position);
        return new Page<>(page.items().stream().map(Listed::view).toList(), page.next());
    }

    private static long before(Cursor after) {
        if (after.equals(Cursor.START)) {
            return Long.MAX_VALUE;
        }
        var position = after.position(Cursor.Purpose.LISTING);
        if (position.length != Long.BYTES) {
            throw Cursor.malformed();
        }
        return ByteBuffer.wrap(position).getLong();
    }
}
