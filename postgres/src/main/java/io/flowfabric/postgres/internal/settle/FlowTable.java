package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.FlowCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.feed.Event.FlowChange;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The rows of flows, without their members and edges. */
public final class FlowTable {
    private static final JsonObject NOTHING = JsonObject.EMPTY;

    private final PostgresContext postgres;

    public FlowTable(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Flows as they are; those that there are not are left out. */
    public Map<UUID, LockedFlow> read(Jdbc db, Collection<UUID> ids) {
        return flows(db.query("flows").uuids("ids", ids, id -> id));
    }

    /** Locks flows, before anything else is locked, in the order of their ids. */
    public Map<UUID, LockedFlow> lock(Jdbc tx, Collection<UUID> ids) {
        return flows(tx.query("lock_flows").uuids("ids", ids, id -> id));
    }

    /** Locks the flows that executions are members of. */
    public Map<UUID, LockedFlow> lockOf(Jdbc tx, Collection<UUID> executions) {
        return flows(tx.query("lock_flows_of").uuids("ids", executions, id -> id));
    }

    private Map<UUID, LockedFlow> flows(Query query) {
        var found = new LinkedHashMap<UUID, LockedFlow>();
        query.set("now", postgres.now())
                .each(
                        row -> {
                            var flow = LockedFlow.of(row);
                            found.put(flow.id(), flow);
                        });
        return found;
    }

    /**
     * Locks one flow.
     *
     * @throws NotFound when there is none of this id
     */
    public LockedFlow lock(Jdbc tx, FlowId id) {
        return found(id, lock(tx, List.of(id.uuid())).get(id.uuid()));
    }

    /**
     * The flow that was looked for by an id. The same UUID in another partition is another id.
     *
     * @throws NotFound when it was not found
     */
    public static LockedFlow found(FlowId id, @Nullable LockedFlow flow) {
        if (flow == null || !flow.record().id().equals(id)) {
            throw new NotFound("flow", id.toString());
        }
        return flow;
    }

    /** A flow that comes in. */
    public record NewFlow(FlowRecord record, Payload input) {}

    /** Adds flows, those of whose ids there is none; says how many. */
    public int add(Jdbc tx, List<NewFlow> added) {
        var flows =
                added.stream()
                        .map(it -> new Changed(it.record, FlowCodec.changing(it.record, NOTHING)))
                        .toList();
        return columns(tx.query("add_flows"), flows)
                .ints("parts", added, it -> it.record.id().partition().number())
                .texts("namespaces", added, it -> it.record.namespace().name())
                .texts("kinds", added, it -> it.record.kind())
                .texts("fixeds", added, it -> FlowCodec.fixed(it.record).toString())
                .texts("types", added, it -> RowCodec.type(it.input))
                .bytes("inputs", added, it -> it.input.bytes())
                .update();
    }

    /** What happened to a flow, as it is then. */
    public record News(FlowRecord flow, FlowChange event) {}

    /** Writes what has become of flows and of members of theirs, and tells what happened. */
    public void change(Jdbc tx, List<LockedFlow> flows, List<FlowMember> members, List<News> news) {
        var changed = flows.stream().map(it -> new Changed(it.record(), it.changing())).toList();
        MemberTable.changed(columns(tx.query("change_flows"), changed), members)
                .set("now", postgres.now())
                .ints("parts", news, it -> it.flow.id().partition().number())
                .texts("namespaces", news, it -> it.flow.namespace().name())
                .texts("actors", news, it -> it.event.by().map(Attribution::actor).orElse(null))
                .texts("reasons", news, it -> it.event.by().map(Attribution::reason).orElse(null))
                .texts("payloads", news, FlowTable::payload)
                .update();
    }

    /** Tells what happened to flows, with their tags, by which they can be asked for. */
    public void tell(Jdbc tx, List<News> news) {
        change(tx, List.of(), List.of(), news);
    }

    private record Changed(FlowRecord record, JsonObject changing) {}

    private static Query columns(Query query, List<Changed> flows) {
        return query.uuids("ids", flows, it -> it.record.id().uuid())
                .texts("states", flows, it -> it.record.state().wire())
                .booleans("unsettleds", flows, it -> it.record.unsettled())
                .longs(
                        "endeds",
                        flows,
                        it -> it.record.endedAt().map(Instant::toEpochMilli).orElse(null))
                .texts("changings", flows, it -> it.changing.toString());
    }

    private static String payload(News news) {
        var tags = NOTHING;
        for (var tag : news.flow.tags().values().entrySet()) {
            tags = tags.with(tag.getKey(), Json.of(tag.getValue()));
        }
        return EventCodec.details(news.event).with("tags", tags).toString();
    }
}
