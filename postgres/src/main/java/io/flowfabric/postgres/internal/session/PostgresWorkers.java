package io.flowfabric.postgres.internal.session;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.maintenance.PostgresMaintenance;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/** The worker processes as operators see them. */
public final class PostgresWorkers implements Workers {
    private static final UUID FIRST = new UUID(0, 0);

    private final PostgresContext postgres;
    private final PostgresMaintenance chores;

    public PostgresWorkers(PostgresContext postgres, PostgresMaintenance chores) {
        this.postgres = postgres;
        this.chores = chores;
    }

    @Override
    public Page<WorkerView> list(Namespace namespace, Scope scope, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var ids =
                postgres.db()
                        .query("list_sessions")
                        .set("now", postgres.now())
                        .set("namespace", namespace.name())
                        .set("dead_too", scope == Scope.ALL)
                        .set("from", after.equals(Cursor.START) ? FIRST : next(after))
                        .set("max", max + 1)
                        .list(row -> row.uuid("id"));
        // A page begins with the session that its cursor names: before the first one there is no
        // id.
        boolean more = ids.size() > max;
        var views =
                views(more ? ids.subList(0, max) : ids).stream()
                        // A session that has died since the ids were read is not alive any more.
                        .filter(view -> scope == Scope.ALL || view.alive())
                        .toList();
        return new Page<>(views, more ? cursor(ids.get(max)) : Cursor.END);
    }

    @Override
    public WorkerView describe(SessionId session) {
        return views(List.of(session.uuid())).stream()
                .findFirst()
                .orElseThrow(() -> new NotFound("session", session.toString()));
    }

    @Override
    public WorkerView markDead(SessionId session, Attribution by) {
        by.mustBeOperator();
        postgres.db()
                .query("mark_dead")
                .set("now", postgres.now())
                .set("id", session.uuid())
                .set("actor", by.actor())
                .set("reason", by.reason())
                .update();
        // Also for one that was dead before: the call that marked it may not have come this far.
        chores.end(session.uuid());
        // It may hold nothing, and has to know all the same.
        postgres.lost(Set.of(session));
        return describe(session);
    }

    private List<WorkerView> views(List<UUID> sessions) {
        return postgres.db()
                .query("workers")
                .set("now", postgres.now())
                .uuids("ids", sessions, id -> id)
                .list(PostgresWorkers::view);
    }

    private static WorkerView view(Row row) {
        return new WorkerView(
                PostgresSessions.session(row),
                RowCodec.moment(row, "opened"),
                RowCodec.moment(row, "last_heard"),
                RowCodec.moment(row, "alive_until"),
                row.bool("alive"),
                row.intValue("running"));
    }

    private static Cursor cursor(UUID id) {
        return Cursor.at(
                Cursor.Purpose.LISTING,
                ByteBuffer.allocate(2 * Long.BYTES)
                        .putLong(id.getMostSignificantBits())
                        .putLong(id.getLeastSignificantBits())
                        .array());
    }

    private static UUID next(Cursor cursor) {
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != 2 * Long.BYTES) {
            throw Cursor.malformed();
        }
        var bytes = ByteBuffer.wrap(position);
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
