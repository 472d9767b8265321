package io.flowfabric.faults;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.SchemaName;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/** Real Postgres servers, and what tests do to them behind the back of the product. */
final class Servers {
    private static final Path BINARIES =
            Path.of(System.getProperty("flowfabric.embedded.binaries", "target/embedded-binaries"))
                    .toAbsolutePath();

    private Servers() {}

    /** How servers of tests are made: from binaries that are unpacked once. */
    static EmbeddedOptions embedded() {
        return EmbeddedOptions.DEFAULT
                .withBinaries(BINARIES)
                .withSetting("max_connections", "200")
                // Deadlocks are to be found, and found soon.
                .withSetting("deadlock_timeout", "50ms");
    }

    /** The server for tests that do not kill it: without durability, and so faster. */
    static EmbeddedPostgres shared() {
        return Shared.SERVER;
    }

    static DatabaseOptions options(EmbeddedPostgres server) {
        return DatabaseOptions.of(server.url(), server.user(), server.password());
    }

    /** A name that no other test uses; the schema is not made. */
    static SchemaName freshSchema() {
        return new SchemaName("faults_" + UUID.randomUUID().toString().replace('-', '_'));
    }

    /** A plain connection that the product knows nothing of. */
    static Connection connect(DatabaseOptions options) throws SQLException {
        return DriverManager.getConnection(options.url(), options.user(), options.password());
    }

    static void execute(DatabaseOptions options, String sql) {
        try (var connection = connect(options);
                var statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The one number that a query gives. */
    static long number(DatabaseOptions options, String sql) {
        try (var connection = connect(options);
                var statement = connection.prepareStatement(sql)) {
            return number(statement);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Every row of every table of a schema, so that nobody can write there unnoticed. */
    static String fingerprint(DatabaseOptions options, SchemaName schema) {
        var prints = new TreeMap<String, String>();
        var tables = "select tablename from pg_tables where schemaname = '%s'".formatted(schema);
        for (var table : texts(options, tables)) {
            var rows =
                    "select md5(coalesce(string_agg(t::text, ';' order by t::text), '')) from %s.%s t"
                            .formatted(schema, table);
            prints.put(table, texts(options, rows).getFirst());
        }
        return prints.toString();
    }

    private static List<String> texts(DatabaseOptions options, String sql) {
        try (var connection = connect(options);
                var statement = connection.createStatement();
                var results = statement.executeQuery(sql)) {
            var texts = new ArrayList<String>();
            while (results.next()) {
                texts.add(results.getString(1));
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    static long number(PreparedStatement query) throws SQLException {
        try (var results = query.executeQuery()) {
            results.next();
            return results.getLong(1);
        }
    }

    private static final class Shared {
        static final EmbeddedPostgres SERVER =
                EmbeddedPostgres.start(
                        Path.of("target", "test-server").toAbsolutePath(),
                        embedded().withoutDurability());
    }
}
