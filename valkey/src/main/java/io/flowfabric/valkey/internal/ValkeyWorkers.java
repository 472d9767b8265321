package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** The worker processes as operators see them. */
public final class ValkeyWorkers implements Workers {
    private static final UUID FIRST = new UUID(0, 0);

    private final ValkeyContext valkey;
    private final Deaths deaths;

    public ValkeyWorkers(ValkeyContext valkey, Deaths deaths) {
        this.valkey = valkey;
        this.deaths = deaths;
    }

    @Override
    public Page<WorkerView> list(Namespace namespace, Scope scope, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var spread = valkey.spread(namespace);
        var home = spread.main();
        var from = after.equals(Cursor.START) ? FIRST : next(after);
        var ids =
                valkey.read(
                                "listed_workers",
                                home,
                                out ->
                                        out.list(4)
                                                .text(namespace.name())
                                                .uuid(from)
                                                .number(max + 1)
                                                .truth(scope == Scope.ALL))
                        .answer()
                        .list(id -> new SessionId(id.uuid()));
        // A page begins with the session that its cursor names: before the first one there is none.
        boolean more = ids.size() > max;
        var views =
                views(spread.all(), more ? ids.subList(0, max) : ids).stream()
                        // A session that has died since the ids were read is not alive any more.
                        .filter(view -> scope == Scope.ALL || view.alive())
                        .toList();
        return new Page<>(views, more ? cursor(ids.get(max)) : Cursor.END);
    }

    @Override
    public WorkerView describe(SessionId session) {
        return view(valkey.parts(session), session);
    }

    @Override
    public WorkerView markDead(SessionId session, Attribution by) {
        by.mustBeOperator();
        var parts = valkey.parts(session);
        var known = record(parts, session);
        var event =
                new Event.MarkedDead(
                        known.record.owner(), known.record.session().namespace(), by, known.now);
        deaths.end(parts, session, Optional.of(event));
        return view(parts, session);
    }

    /** A session at a moment. */
    private record Known(SessionFields record, int running, Instant now) {
        Known with(int more) {
            return new Known(record, running + more, now);
        }

        WorkerView view() {
            return new WorkerView(
                    record.session(),
                    record.opened(),
                    record.renewed(),
                    record.end(),
                    record.isAlive(now),
                    running);
        }
    }

    private Known record(List<Partition> parts, SessionId session) {
        return known(parts, List.of(session)).stream()
                .findFirst()
                .orElseThrow(() -> ValkeySessions.unknown(session));
    }

    private WorkerView view(List<Partition> parts, SessionId session) {
        return record(parts, session).view();
    }

    private List<WorkerView> views(List<Partition> parts, List<SessionId> ids) {
        return known(parts, ids).stream().map(Known::view).toList();
    }

    /** Sessions as their home says, with what they have in all partitions. */
    private List<Known> known(List<Partition> parts, List<SessionId> ids) {
        var found = new LinkedHashMap<SessionId, Known>();
        known(parts.getFirst(), ids).forEach(one -> found.put(one.record.owner().session(), one));
        for (var part : parts.subList(1, parts.size())) {
            for (var one : known(part, ids)) {
                found.computeIfPresent(
                        one.record.owner().session(), (id, main) -> main.with(one.running));
            }
        }
        return List.copyOf(found.values());
    }

    private List<Known> known(Partition home, List<SessionId> ids) {
        var told = valkey.read("workers", home, out -> out.list(ids, (o, id) -> o.uuid(id.uuid())));
        var found = new ArrayList<Known>();
        for (int n = 0; n < ids.size(); n++) {
            var id = ids.get(n);
            told.answer()
                    .at(n)
                    .optional(entry -> known(id, entry, told.now()))
                    .ifPresent(found::add);
        }
        return found;
    }

    private static Known known(SessionId id, Item entry, Instant now) {
        var record = SessionFields.read(id, entry.at(0).bytes());
        return new Known(record, entry.at(1).small(), now);
    }

    private static Cursor cursor(SessionId id) {
        return Cursor.at(Cursor.Purpose.LISTING, Signposts.bytes(id.uuid()));
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
