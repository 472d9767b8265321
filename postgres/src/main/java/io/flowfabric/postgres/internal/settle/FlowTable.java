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

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The rows of flows, without their members and edges. */
public final class FlowTable {
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

    /** Adds a flow, unless there is one of its id; says whether. */
    public boolean add(Jdbc tx, FlowRecord flow, Payload input) {
        return columns(tx.query("add_flow"), flow, FlowCodec.changing(flow, JsonObject.EMPTY))
                        .set("part", flow.id().partition().number())
                        .set("namespace", flow.namespace().name())
                        .set("kind", flow.kind())
                        .set("fixed", FlowCodec.fixed(flow).toString())
                        .set("type", RowCodec.type(input))
                        .set("input", input.bytes())
                        .update()
                > 0;
    }

    /** Writes what has become of a flow. */
    public void change(Jdbc tx, LockedFlow flow) {
        columns(tx.query("change_flow"), flow.record(), flow.changing()).update();
    }

    private static Query columns(Query query, FlowRecord flow, JsonObject changing) {
        return query.set("id", flow.id().uuid())
                .set("state", flow.state().wire())
                .set("unsettled", flow.unsettled())
                .set("ended", flow.endedAt().map(Instant::toEpochMilli).orElse(null))
                .set("changing", changing.toString());
    }

    /** Tells what happened to a flow, with its tags, by which it can be asked for. */
    public void tell(Jdbc tx, FlowRecord flow, FlowChange event) {
        var tags = JsonObject.EMPTY;
        for (var tag : flow.tags().values().entrySet()) {
            tags = tags.with(tag.getKey(), Json.of(tag.getValue()));
        }
        tx.query("tell_flow")
                .set("now", postgres.now())
                .set("part", flow.id().partition().number())
                .set("namespace", flow.namespace().name())
                .set("actor", event.by().map(Attribution::actor).orElse(null))
                .set("reason", event.by().map(Attribution::reason).orElse(null))
                .set("payload", EventCodec.details(event).with("tags", tags).toString())
                .update();
    }
}
