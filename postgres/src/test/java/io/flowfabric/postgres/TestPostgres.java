package io.flowfabric.postgres;

import io.flowfabric.core.Unavailable;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.UUID;

/**
 * The one fast Postgres that the tests of a JVM share, each in a schema of its own.
 *
 * <p>It starts with the first test that asks and stops with the JVM. Its folder is used again by
 * the next run, which drops the schemas of the last one. Where the environment names a server, that
 * one is used instead, by one run at a time.
 */
public final class TestPostgres {
    /** Where the server is unpacked, once for all tests. */
    public static final Path BINARIES =
            Path.of(System.getProperty("flowfabric.embedded.binaries", "target/embedded-binaries"))
                    .toAbsolutePath();

    /**
     * For {@code @ResourceLock}: the transactions of the server that stay open for long. Sweeps
     * wait for every older transaction of the server, not only for those of their schema. So a
     * class that waits for such sweeps to come to their end has this for itself, and those that
     * hold a transaction or a snapshot for seconds share it ({@code READ}).
     */
    public static final String LONG_TRANSACTIONS = "long transactions of the server";

    private static final String PREFIX = "test_";
    private static final int RUNS_AT_ONCE = 10;

    private TestPostgres() {}

    /** Where to connect. */
    public static DatabaseOptions options() {
        return Started.SERVER.options();
    }

    /** A name that no other test uses; the schema is not made. */
    public static SchemaName freshSchema() {
        return new SchemaName(PREFIX + UUID.randomUUID().toString().replace('-', '_'));
    }

    /** A plain connection. */
    public static Connection connect() throws SQLException {
        return Started.SERVER.connect();
    }

    static Connection connect(EmbeddedPostgres server) throws SQLException {
        return ServerLogin.of(server).connect();
    }

    /** Options that make a server start and stop fast. */
    static EmbeddedOptions fast() {
        return EmbeddedOptions.DEFAULT.withoutDurability().withBinaries(BINARIES);
    }

    private static final class Started {
        static final ServerLogin SERVER =
                emptied(ServerLogin.fromEnvironment().orElseGet(Started::start));

        private static ServerLogin start() {
            var options =
                    fast().withSetting("max_connections", "200")
                            .withSetting("deadlock_timeout", "20ms");
            for (int run = 1; ; run++) {
                try {
                    return ServerLogin.of(
                            EmbeddedPostgres.start(
                                    Path.of("target", "embedded", "shared-" + run), options));
                } catch (Unavailable e) {
                    // Another run of the tests is using this one.
                    if (run == RUNS_AT_ONCE) {
                        throw e;
                    }
                }
            }
        }

        private static ServerLogin emptied(ServerLogin server) {
            try (var connection = server.connect();
                    var statement = connection.createStatement()) {
                var schemas = new ArrayList<String>();
                try (var results =
                        statement.executeQuery(
                                "select nspname from pg_namespace where nspname like 'test\\_%'")) {
                    while (results.next()) {
                        schemas.add(results.getString(1));
                    }
                }
                for (var schema : schemas) {
                    statement.execute("drop schema " + schema + " cascade");
                }
                return server;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
