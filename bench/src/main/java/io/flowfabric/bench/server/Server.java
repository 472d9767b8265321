package io.flowfabric.bench.server;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;

/** A fresh, durable Postgres in a folder that is deleted when it is closed. */
public final class Server implements AutoCloseable {
    /** Without encryption, so that the wire tap can read along; for everyone alike. */
    private static final String PLAIN = "?sslmode=disable&gssEncMode=disable";

    /** Enough for contenders that keep their connections open side by side. */
    private static final String CONNECTIONS = "300";

    private final Path folder;
    private final EmbeddedPostgres postgres;
    private final Connection admin;
    private final Thread shutdownHook = new Thread(this::end, "flowfabric-bench-end");
    private boolean ended;

    private Server(Path folder, EmbeddedPostgres postgres, Connection admin) {
        this.folder = folder;
        this.postgres = postgres;
        this.admin = admin;
    }

    /**
     * Starts one with the settings that every embedded server has: a commit survives a power cut.
     */
    public static Server start() throws IOException, SQLException {
        var folder = Files.createTempDirectory("flowfabric-bench");
        var postgres =
                EmbeddedPostgres.start(
                        folder,
                        EmbeddedOptions.DEFAULT.withSetting("max_connections", CONNECTIONS));
        var server = new Server(folder, postgres, login(postgres).connect());
        // Whoever loses patience and interrupts the program gets the space back too.
        Runtime.getRuntime().addShutdownHook(server.shutdownHook);
        return server;
    }

    public Login login() {
        return login(postgres);
    }

    int port() {
        return postgres.port();
    }

    /** Lets nobody inherit garbage, stale statistics or a checkpoint that is due. */
    public void settle() throws SQLException {
        execute("vacuum (analyze)");
        execute("checkpoint");
    }

    public void execute(String sql) throws SQLException {
        try (var statement = admin.createStatement()) {
            statement.execute(sql);
        }
    }

    public Usage usage() throws SQLException {
        try (var statement = admin.createStatement();
                var row =
                        statement.executeQuery(
                                """
                                select
                                    pg_current_wal_insert_lsn() - '0/0'::pg_lsn as wal,
                                    pg_snapshot_xmax(pg_current_snapshot())::text::bigint as xid
                                """)) {
            row.next();
            return new Usage(row.getLong("wal"), row.getLong("xid"));
        }
    }

    /** What a reader of the figures has to know about the server. */
    public Map<String, Object> settings() throws SQLException {
        var settings = new LinkedHashMap<String, Object>();
        for (var name :
                new String[] {"server_version", "fsync", "synchronous_commit", "shared_buffers"}) {
            try (var statement = admin.createStatement();
                    var row = statement.executeQuery("show " + name)) {
                row.next();
                settings.put(name, row.getString(1));
            }
        }
        return settings;
    }

    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook is at work or waits for us below.
        }
        end();
    }

    private synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        try {
            admin.close();
        } catch (SQLException e) {
            // The server is stopped next, and takes its connections with it.
        }
        postgres.close();
        delete(folder);
    }

    private static Login login(EmbeddedPostgres postgres) {
        return new Login(postgres.url() + PLAIN, postgres.user(), postgres.password());
    }

    static void delete(Path folder) {
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
