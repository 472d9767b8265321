package io.flowfabric.embedded;

import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.ShutdownOrder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;

/**
 * A Postgres that this process started and owns, in one folder: binaries, data, password and log.
 *
 * <p>It listens on 127.0.0.1 only. A process that is killed leaves its server running; the next
 * start of that home stops it first, and finds everything that was committed. Two owners of one
 * home are impossible: the second is refused and told where the first one is. A JVM that is told to
 * end stops it last, after the engines that work with it.
 */
public final class EmbeddedPostgres implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedPostgres.class);
    private static final String USER = "flowfabric";
    private static final String DATABASE = "postgres";
    private static final int PORTS_TO_TRY = 5;
    private static final byte[] LOCALHOST = {127, 0, 0, 1};

    private final Ownership ownership;
    private final Cluster cluster;
    private final int port;
    private final String password;
    private final Thread shutdownHook =
            new Thread(this::stopLast, "flowfabric-embedded-postgres-stop");
    private boolean closed;

    private EmbeddedPostgres(Ownership ownership, Cluster cluster, int port, String password) {
        this.ownership = ownership;
        this.cluster = cluster;
        this.port = port;
        this.password = password;
    }

    /** Starts a durable one on a free port. */
    public static EmbeddedPostgres start(Path home) {
        return start(home, EmbeddedOptions.DEFAULT);
    }

    /**
     * Starts one and waits until it takes connections.
     *
     * @param home where everything is kept; made when it is not there
     * @throws Unavailable when there is no Postgres for this platform, another process owns the
     *     home, or the server does not start
     */
    public static EmbeddedPostgres start(Path home, EmbeddedOptions options) {
        try {
            var real = home(home);
            var ownership = Ownership.take("Postgres", real);
            boolean started = false;
            try {
                var embedded = start(real, options, ownership);
                started = true;
                return embedded;
            } finally {
                if (!started) {
                    ownership.close();
                }
            }
        } catch (IOException e) {
            var unavailable =
                    new Unavailable(
                            "The embedded Postgres in %s cannot be started: %s"
                                    .formatted(home, e.getMessage()));
            unavailable.initCause(e);
            throw unavailable;
        }
    }

    /** For JDBC; the login is not part of it. */
    public String url() {
        return url(port);
    }

    /** The only user, who owns everything. */
    public String user() {
        return USER;
    }

    /** The password of the user, as it lies in the home, readable by its owner alone. */
    public String password() {
        return password;
    }

    /** Where it listens on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** The data folder of the server, inside the home. */
    public Path dataDirectory() {
        return cluster.data();
    }

    /**
     * Stops the server and gives up the home. Closing again does nothing; so does closing after the
     * JVM began to shut down, which closes it too.
     */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook is at work or waits for us below.
        }
        stop();
    }

    /** In the hook of the JVM: first ends what in this process works with it. */
    private void stopLast() {
        ShutdownOrder.endUsersOfServers();
        stop();
    }

    private synchronized void stop() {
        if (closed) {
            return;
        }
        closed = true;
        try (ownership) {
            cluster.stop();
        } catch (IOException e) {
            log.warn("The embedded Postgres in {} did not stop properly", cluster.data(), e);
        }
    }

    private static EmbeddedPostgres start(Path home, EmbeddedOptions options, Ownership ownership)
            throws IOException {
        var prefix = Privileges.dropped();
        var binaries =
                Binaries.unpack(
                        "postgres",
                        Platform.current().postgres(),
                        Binaries.folder(options.binaries(), home));
        var cluster = new Cluster(home, binaries, prefix, options);
        if (!cluster.exists()) {
            if (!Password.exists(home)) {
                Password.create(home);
            }
            cluster.create(USER, Password.file(home));
        } else if (!Password.exists(home)) {
            throw new Unavailable(
                    "There is data in %s, but its password is gone: put the file %s back."
                            .formatted(cluster.data(), Password.file(home)));
        }
        var password = Password.read(home);
        cluster.clear();
        int port = startOnPort(cluster, options.port());
        ownership.publish(url(port));
        var embedded = new EmbeddedPostgres(ownership, cluster, port, password);
        Runtime.getRuntime().addShutdownHook(embedded.shutdownHook);
        log.info("Postgres serves {} at {}", home, embedded.url());
        return embedded;
    }

    /** Somebody else may take a free port before the server does; then another one is tried. */
    private static int startOnPort(Cluster cluster, int wanted) throws IOException {
        for (int tried = 1; ; tried++) {
            int port = wanted == 0 ? freePort() : wanted;
            try {
                cluster.start(port);
                return port;
            } catch (Cluster.NotStarted e) {
                if (wanted != 0 || !e.portTaken() || tried == PORTS_TO_TRY) {
                    throw e;
                }
            }
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByAddress(LOCALHOST))) {
            return socket.getLocalPort();
        }
    }

    private static String url(int port) {
        return "jdbc:postgresql://127.0.0.1:%d/%s".formatted(port, DATABASE);
    }

    private static Path home(Path home) throws IOException {
        Folders.createPrivate(home);
        var real = home.toRealPath();
        // pg_ctl hands its paths to a shell, in double quotes.
        if (real.toString().chars().anyMatch(c -> "\"$`\\\n".indexOf(c) >= 0)) {
            throw new Unavailable(
                    "Postgres cannot be started in %s: choose a path without \", $, ` and \\."
                            .formatted(real));
        }
        return real;
    }
}
