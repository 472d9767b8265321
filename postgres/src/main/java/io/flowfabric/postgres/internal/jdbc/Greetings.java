package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.Set;
import java.util.WeakHashMap;

/**
 * Notices that the server behind our connections was started anew. Every connection of the pool is
 * asked once, before its first use.
 */
final class Greetings {
    private static final Logger log = LoggerFactory.getLogger(Greetings.class);

    private record Greeting(NamedStatement look, NamedStatement note, Runnable onNewServer) {}

    /** Weakly: a connection that was closed keeps hundreds of statements, and we are not told. */
    private final Set<PGConnection> met =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private volatile @Nullable Greeting greeting;
    private @Nullable String started;

    /**
     * From now on every connection is asked.
     *
     * @param look answers when the server was started, and whether that is yet to be noted
     * @param note notes it
     */
    void begin(NamedStatement look, NamedStatement note, Runnable onNewServer) {
        greeting = new Greeting(look, note, onNewServer);
    }

    void meet(Connection connection) throws SQLException {
        var now = greeting;
        if (now == null) {
            return;
        }
        var physical = connection.unwrap(PGConnection.class);
        if (!met.contains(physical)) {
            greet(connection, now);
            met.add(physical);
        }
    }

    /** One at a time, so that no thread goes on while another still forgets. */
    private synchronized void greet(Connection connection, Greeting now) throws SQLException {
        String there;
        boolean unnoted;
        try (var look = connection.prepareStatement(now.look.sql());
                var row = look.executeQuery()) {
            row.next();
            there = row.getString("started");
            unnoted = row.getBoolean("unnoted");
        }
        if (unnoted) {
            try (var note = connection.prepareStatement(now.note.sql())) {
                note.executeUpdate();
            }
        }
        if (!there.equals(started)) {
            if (started != null) {
                log.info(
                        "The server was started anew: what was remembered of its data is"
                                + " forgotten.");
            }
            now.onNewServer.run();
            started = there;
        }
    }
}
