package io.flowfabric.postgres;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.testkit.VirtualClock;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * A schema that one test after the other has to itself, with its connections, whose prepared
 * statements and plans are kept from one test to the next as they are in production.
 */
final class TestSchema {
    private static final AtomicInteger MADE = new AtomicInteger();

    private final SchemaName name = new SchemaName("contract_" + MADE.incrementAndGet());

    /** Beside the pool: the store under test may close that, and has settings of its own. */
    private final Connection own;

    private volatile VirtualClock clock = new VirtualClock();
    private @Nullable Database db;
    private @Nullable String whichHaveRows;

    TestSchema() {
        try {
            own = TestServer.get().connect();
            // The server is kept from one run to the next, and the migration may have changed.
            execute("drop schema if exists %s cascade".formatted(name));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static DatabaseOptions options() {
        return TestServer.get().options().withConnections(6);
    }

    SchemaName name() {
        return name;
    }

    /** Connections to the schema, in which there is nothing, for a store with this clock. */
    Database emptied(VirtualClock time) {
        clock = time;
        var connected = connected();
        empty();
        return connected;
    }

    /** A rule about closing leaves nothing to go on with. */
    private Database connected() {
        if (db != null) {
            try {
                db.checkOpen();
                return db;
            } catch (Unavailable closed) {
                // The next one is opened below.
            }
        }
        InstantSource whoseTurnItIs = () -> clock.instant();
        db = PostgresStore.connect(options(), name, Optional.of(whoseTurnItIs));
        execute(TransitionGuard.sql(name));
        return db;
    }

    void close() {
        try {
            own.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        if (db != null) {
            db.close();
        }
    }

    void execute(String sql) {
        try (var statement = own.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The only number that a query answers. */
    long number(String sql) {
        return Long.parseLong(text(sql));
    }

    /** The only text that a query answers. */
    String text(String sql) {
        try (var statement = own.createStatement()) {
            return texts(statement, sql).getFirst();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Truncates what has rows. To truncate a table takes about a millisecond for each of its
     * indexes, so the many that a test has not touched are left alone.
     */
    private void empty() {
        try (var statement = own.createStatement()) {
            if (whichHaveRows == null) {
                whichHaveRows =
                        tables(statement).stream()
                                .map(
                                        table ->
                                                "select '%1$s' where exists (select from %1$s)"
                                                        .formatted(table))
                                .collect(Collectors.joining(" union all "));
            }
            var used = texts(statement, whichHaveRows);
            if (!used.isEmpty()) {
                // Cascade: a table that refers to one of these may be empty itself.
                statement.execute(
                        "truncate %s restart identity cascade".formatted(String.join(", ", used)));
            }
            statement.execute("update %s.event_log set dropped = 0".formatted(name));
            statement.execute(
                    ("update %1$s.gate_sweep set step = 'resting', fence = null, busy_until = 0,"
                         + " begins_at = (select last_value from %1$s.gate_id_seq) + 1000")
                            .formatted(name));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** All that hold what a store keeps: parts of a table that is divided, and no such table. */
    private List<String> tables(Statement statement) throws SQLException {
        return texts(
                statement,
                """
                select format('%%I.%%I', n.nspname, c.relname)
                from pg_class c join pg_namespace n on n.oid = c.relnamespace
                where n.nspname = '%s' and c.relkind = 'r' and c.relname not in ('migration', 'event_log', 'gate_sweep')
                """
                        .formatted(name));
    }

    private static List<String> texts(Statement statement, String query) throws SQLException {
        var texts = new ArrayList<String>();
        try (var results = statement.executeQuery(query)) {
            while (results.next()) {
                texts.add(results.getString(1));
            }
        }
        return texts;
    }
}
