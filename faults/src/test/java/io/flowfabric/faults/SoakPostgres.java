package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.faults.SoakFaults.Fault;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.TreeMap;

/** The durable Postgres of a {@link Soak}. */
final class SoakPostgres implements SoakServer {
    private static final double MEGABYTE = 1 << 20;
    private static final String CONNECTIONS =
            "select count(*) from pg_stat_activity where backend_type = 'client backend'";

    private final SchemaName schema = Servers.freshSchema();
    private final CrashingServer server;
    private final PostgresStore store;

    SoakPostgres(Path home) {
        this.server = new CrashingServer(home, settings());
        this.store = PostgresStore.open(server.options().withConnections(8), schema);
    }

    /** A server that is restarted every minute would hardly come to vacuum once in a minute. */
    private static EmbeddedOptions settings() {
        return Servers.embedded().withSetting("autovacuum_naptime", "5s");
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public StoreAddress address() {
        return StoreAddress.of(server.options(), schema);
    }

    @Override
    public StoreAddress freshPlace() {
        return server.freshPlace();
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public void kill() {
        server.kill();
    }

    @Override
    public void restart() {
        server.restart();
    }

    @Override
    public Fault peculiar() {
        return Fault.SNAPSHOT_HELD;
    }

    /** Nothing that is deleted meanwhile can be cleaned up. */
    @Override
    public void breakPeculiarly(Duration length) {
        try (var connection = Servers.connect(server.options());
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            statement.execute("select pg_current_snapshot()");
            Waiting.pause(length);
            connection.rollback();
        } catch (SQLException e) {
            // The server was broken, too, and with it the snapshot.
        }
    }

    @Override
    public boolean hasTransactions() {
        return true;
    }

    @Override
    public ExecutionId submitInTransaction(Submission work, boolean commits) throws SQLException {
        try (var connection = Servers.connect(server.options())) {
            connection.setAutoCommit(false);
            store.in(connection).submit(work);
            if (commits) {
                connection.commit();
            } else {
                connection.rollback();
            }
            return work.id();
        }
    }

    @Override
    public Look look() {
        for (int tries = 0; tries < 20; tries++) {
            try (var connection = Servers.connect(server.options());
                    var statement = connection.createStatement();
                    var counted = connection.prepareStatement(CONNECTIONS)) {
                var tables = new TreeMap<String, Double>();
                double log = 0;
                try (var rows =
                        statement.executeQuery(
                                """
                                select relname, pg_total_relation_size(c.oid)
                                from pg_class c join pg_namespace n on n.oid = c.relnamespace
                                where n.nspname = '%s' and c.relkind = 'r'
                                """
                                        .formatted(schema.text()))) {
                    while (rows.next()) {
                        double size = rows.getLong(2) / MEGABYTE;
                        if (rows.getString(1).matches("event.*|session")) {
                            log += size;
                        } else {
                            tables.put(rows.getString(1), size);
                        }
                    }
                }
                return new Look(memory(), Servers.number(counted), tables, log);
            } catch (SQLException e) {
                Waiting.pause(Duration.ofMillis(500));
            }
        }
        return Look.NOTHING;
    }

    private double memory() {
        try {
            return ProcessMemory.of(server.processes().stream().map(ProcessHandle::pid).toList());
        } catch (RuntimeException e) {
            // It is being restarted.
            return 0;
        }
    }

    @Override
    public void close() {
        store.close();
        server.close();
    }
}
