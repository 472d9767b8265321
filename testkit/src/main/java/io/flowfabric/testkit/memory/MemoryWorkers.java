package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.operate.Workers;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Optional;
import java.util.UUID;

/** How worker processes are seen by those who operate them. */
final class MemoryWorkers implements Workers {
    private final MemoryState world;

    MemoryWorkers(MemoryState world) {
        this.world = world;
    }

    @Override
    public Page<WorkerView> list(Namespace namespace, Scope scope, Cursor after, int max) {
        return world.call(
                () -> {
                    var last = last(after);
                    var listed =
                            world.sessions
                                    .known()
                                    .filter(it -> it.session.namespace().equals(namespace))
                                    .filter(it -> scope == Scope.ALL || world.sessions.isAlive(it))
                                    .filter(it -> last.isEmpty() || isAfter(it, last.get()))
                                    .sorted(Comparator.comparing(it -> it.session.id()))
                                    .map(this::view)
                                    .toList();
                    return ListingPages.page(listed, max, view -> position(view.session().id()));
                });
    }

    @Override
    public WorkerView describe(SessionId session) {
        return world.call(() -> view(find(session)));
    }

    @Override
    public WorkerView markDead(SessionId session, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var living = find(session);
                    if (world.sessions.isAlive(living)) {
                        var namespace = living.session.namespace();
                        world.log.append(
                                new Event.MarkedDead(living.owner(), namespace, by, world.now()),
                                Tags.NONE);
                    }
                    // One whose time has run out returns its work here and now as well.
                    world.sessions.unburied(session).ifPresent(world.sessions::end);
                    world.wakeups.loses(session);
                    return view(living);
                });
    }

    private SessionRecord find(SessionId session) {
        return world.sessions
                .known()
                .filter(living -> living.session.id().equals(session))
                .findFirst()
                .orElseThrow(() -> new NotFound("session", session.toString()));
    }

    private WorkerView view(SessionRecord living) {
        return new WorkerView(
                living.session,
                living.opened,
                living.renewed(),
                living.end(),
                world.sessions.isAlive(living),
                world.executions.runningIn(living.session.id()));
    }

    private static boolean isAfter(SessionRecord living, SessionId last) {
        return living.session.id().compareTo(last) > 0;
    }

    private static byte[] position(SessionId id) {
        return ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(id.uuid().getMostSignificantBits())
                .putLong(id.uuid().getLeastSignificantBits())
                .array();
    }

    /** The last session of the page before; nothing before the first page. */
    private static Optional<SessionId> last(Cursor cursor) {
        if (cursor.equals(Cursor.START)) {
            return Optional.empty();
        }
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != 2 * Long.BYTES) {
            throw Cursor.malformed();
        }
        var bytes = ByteBuffer.wrap(position);
        return Optional.of(new SessionId(new UUID(bytes.getLong(), bytes.getLong())));
    }
}
