package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.flow.Flows.Membership;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.settle.MemberTable;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** What an execution can know of its flow. */
final class UpstreamReader {
    private final PostgresContext postgres;

    UpstreamReader(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** An execution as a member. */
    private record Place(FlowId flow, int number, String name) {}

    Optional<Membership> membership(ExecutionId execution) {
        return place(execution).map(place -> new Membership(place.flow, place.name));
    }

    /**
     * @throws NotFound when there is no such execution
     */
    private Optional<Place> place(ExecutionId execution) {
        return postgres
                .db()
                .query("membership")
                .set("id", execution.uuid())
                .list(row -> Map.entry(RowCodec.id(row), place(row)))
                .stream()
                .filter(found -> found.getKey().equals(execution))
                .findFirst()
                .orElseThrow(() -> new NotFound("execution", execution.toString()))
                .getValue();
    }

    private static Optional<Place> place(Row row) {
        return Optional.ofNullable(row.uuidOrNull("flow"))
                .map(
                        flow ->
                                new Place(
                                        new FlowId(new Partition(row.intValue("flow_part")), flow),
                                        row.intValue("number"),
                                        row.text("name")));
    }

    /** An upstream whose result is not read yet; it has an id if it is still kept. */
    private record Found(
            String name, Optional<Outcome> outcome, Optional<UUID> execution, long bytes) {
        static Found of(Row row) {
            var bytes = row.longOrNull("bytes");
            return new Found(
                    row.text("name"),
                    MemberTable.outcome(row, "outcome"),
                    Optional.ofNullable(row.uuidOrNull("id")),
                    bytes == null ? 0 : bytes);
        }

        Optional<UUID> succeeded() {
            return outcome.equals(Optional.of(Outcome.SUCCESS)) ? execution : Optional.empty();
        }
    }

    Page<Upstream> upstreams(ExecutionId member, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        var place =
                place(member)
                        .orElseThrow(() -> new NotFound("flow of execution", member.toString()));
        var found =
                postgres.db()
                        .query("upstreams")
                        .set("flow", place.flow.uuid())
                        .set("member", place.number)
                        .set("from", before)
                        .set("limit", max + 1)
                        .list(Found::of);
        var page = NumberedPages.page(before, found, Found::bytes, max, false);
        var results = results(page.items());
        return new Page<>(
                page.items().stream()
                        .map(
                                one ->
                                        new Upstream(
                                                one.name,
                                                one.outcome,
                                                one.succeeded()
                                                        .flatMap(
                                                                id ->
                                                                        Optional.ofNullable(
                                                                                results.get(id)))))
                        .toList(),
                page.next());
    }

    private Map<UUID, Payload> results(List<Found> some) {
        var ids = some.stream().flatMap(one -> one.succeeded().stream()).toList();
        var results = new HashMap<UUID, Payload>();
        if (!ids.isEmpty()) {
            postgres.db()
                    .query("results")
                    .uuids("ids", ids, id -> id)
                    .each(
                            row ->
                                    Optional.ofNullable(row.bytesOrNull("bytes"))
                                            .ifPresent(
                                                    bytes ->
                                                            results.put(
                                                                    row.uuid("id"),
                                                                    Payload.of(
                                                                            bytes,
                                                                            row.text(
                                                                                    "content_type")))));
        }
        return results;
    }
}
