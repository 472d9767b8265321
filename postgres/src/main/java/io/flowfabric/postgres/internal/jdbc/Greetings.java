package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices that the server behind our connections was started anew. Every connection of the pool is
 * asked once, before its first use.
 */
final class Greetings {
    private static final Logger log = LoggerFactory.getLogger(Greetings.class);

    /** So many connections are remembered before those that were closed are forgotten. */
    private static final int MOST = 1000;

    private record Greeting(NamedStatement statement, Runnable onNewServer) {}

    private final Set<PGConnection> met = ConcurrentHashMap.newKeySet();
    private volatile @Nullable Greeting greeting;
    private @Nullable String started;

    void begin(NamedStatement statement, Runnable onNewServer) {
        greeting = new Greeting(statement, onNewServer);
    }

    void meet(Connection connection) throws SQLException {
        var now = greeting;
        if (now == null) {
            return;
        }
        var physical = connection.unwrap(PGConnection.class);
        if (!met.contains(physical)) {
            greet(connection, now);
            remember(physical);
        }
    }

    /** One at a time, so that nobody goes on while another still forgets. */
    private synchronized void greet(Connection connection, Greeting now) throws SQLException {
        String there;
        try (var statement = connection.prepareStatement(now.statement.sql());
                var row = statement.executeQuery()) {
            row.next();
            there = row.getString("started");
        }
        if (!there.equals(started)) {
            if (started != null) {
                log.info("The server was started anew: what was remembered of its data is forgotten.");
            }
            now.onNewServer.run();
            started = there;
        }
    }

    private void remember(PGConnection physical) throws SQLException {
        if (met.size() >= MOST) {
            met.clear();
        }
        met.add(physical);
    }
}
