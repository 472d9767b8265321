package io.flowfabric.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Unavailable;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

/**
 * A data folder and the server on it. Only the owner of the home may touch it.
 *
 * <p>The data folder appears by one rename of a complete one, so that whatever kills its creation
 * leaves nothing that looks like data.
 */
final class Cluster {
    private static final Logger log = LoggerFactory.getLogger(Cluster.class);
    private static final String UNFINISHED = "data.unfinished-";
    private static final String SETTINGS = "flowfabric.conf";
    private static final String HOST = "127.0.0.1";
    private static final long LARGE_LOG = 16L << 20;
    private static final int LINES_OF_LOG = 20;

    /** What a program gets on top of the time that it is told to take. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private final Path home;
    private final Path data;
    private final Path logFile;
    private final Binaries binaries;
    private final List<String> prefix;
    private final EmbeddedOptions options;

    Cluster(Path home, Binaries binaries, List<String> prefix, EmbeddedOptions options) {
        this.home = home;
        this.data = home.resolve("data");
        this.logFile = home.resolve("postgres.log");
        this.binaries = binaries;
        this.prefix = prefix;
        this.options = options;
    }

    Path data() {
        return data;
    }

    boolean exists() {
        return Files.exists(data.resolve("PG_VERSION"));
    }

    /** Makes a new data folder whose only user logs in with the password. */
    void create(String user, Path passwordFile) throws IOException {
        try (var left = Files.newDirectoryStream(home, UNFINISHED + "*")) {
            for (var folder : left) {
                Folders.delete(folder);
            }
        }
        var unfinished = home.resolve(UNFINISHED + UUID.randomUUID());
        var words =
                new ArrayList<>(
                        List.of(
                                "--pgdata=" + unfinished,
                                "--username=" + user,
                                "--pwfile=" + passwordFile,
                                "--auth=scram-sha-256",
                                "--encoding=UTF8",
                                // Its order of texts never changes under an index, unlike that of
                                // the operating system.
                                "--locale=C",
                                "--locale-provider=builtin",
                                "--builtin-locale=C.UTF-8"));
        if (!options.durable()) {
            words.add("--no-sync");
        }
        var created = run("initdb", words);
        if (!created.succeeded()) {
            Folders.delete(unfinished);
            throw new Unavailable(
                    "The data folder of the embedded Postgres could not be made in %s: %s"
                            .formatted(home, created.output()));
        }
        Files.writeString(
                unfinished.resolve("postgresql.conf"),
                "%ninclude = '%s'%n".formatted(SETTINGS),
                StandardOpenOption.APPEND);
        Files.move(unfinished, data, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Stops a server that outlived its JVM, and never anything else. */
    void clear() throws IOException {
        switch (Postmaster.find(data)) {
            case NONE -> {}
            case RUNNING -> {
                log.info("Stopping the Postgres that a killed process left behind in {}", data);
                stop();
            }
            case STRANGER -> Files.deleteIfExists(Postmaster.file(data));
            case UNKNOWN ->
                    throw new Unavailable(
                            ("%s names process %s, and it cannot be seen whether that is a"
                                 + " Postgres. If it is, stop it; if not, delete the file.")
                                    .formatted(
                                            Postmaster.file(data),
                                            Postmaster.pid(data).orElse(0L)));
        }
    }

    /** Starts the server and waits until it takes connections. */
    void start(int port) throws IOException {
        Files.writeString(data.resolve(SETTINGS), settings(port));
        if (Files.exists(logFile) && Files.size(logFile) > LARGE_LOG) {
            Files.move(
                    logFile,
                    logFile.resolveSibling("postgres.log.old"),
                    StandardCopyOption.REPLACE_EXISTING);
        }
        long before = Files.exists(logFile) ? Files.size(logFile) : 0;
        var started = control("start", "--log=" + logFile);
        if (!started.succeeded()) {
            if (Postmaster.find(data) == Postmaster.RUNNING) {
                // It is only slow, as after a crash with much to recover; nobody would own it.
                stop();
            }
            throw new NotStarted(port, started.output(), logSince(before));
        }
    }

    /** Stops the server, disconnecting its clients; without one, does nothing. */
    void stop() throws IOException {
        var found = Postmaster.find(data);
        if (found == Postmaster.NONE || found == Postmaster.STRANGER) {
            // pg_ctl would signal the process that has the id now.
            return;
        }
        var stopped = control("stop", "--mode=fast");
        if (!stopped.succeeded() && Postmaster.find(data) == Postmaster.RUNNING) {
            log.warn("Postgres in {} did not stop in time: {}", data, stopped.output());
            // Everything committed is safe; the next start takes longer.
            stopped = control("stop", "--mode=immediate");
            if (!stopped.succeeded() && Postmaster.find(data) == Postmaster.RUNNING) {
                throw new IOException("Postgres does not stop: " + stopped.output());
            }
        }
    }

    private Command control(String verb, String option) throws IOException {
        return run(
                "pg_ctl",
                List.of(
                        verb,
                        "--pgdata=" + data,
                        option,
                        "--wait",
                        "--timeout=" + options.timeout().toSeconds()));
    }

    private Command run(String program, List<String> words) throws IOException {
        var command = List.of(binaries.program(program).toString());
        return Command.run(
                Privileges.concat(prefix, Privileges.concat(command, words)),
                options.timeout().plus(GRACE));
    }

    private String settings(int port) {
        var durability = options.durable() ? "on" : "off";
        var all = new TreeMap<String, String>();
        all.put("timezone", "UTC");
        all.put("log_timezone", "UTC");
        all.put("log_line_prefix", "%m [%p] %a ");
        all.putAll(options.settings());
        all.put("listen_addresses", HOST);
        all.put("port", Integer.toString(port));
        all.put("unix_socket_directories", "");
        all.put("fsync", durability);
        all.put("synchronous_commit", durability);
        all.put("full_page_writes", durability);
        var text = new StringBuilder("# Written at every start.\n");
        all.forEach(
                (name, value) ->
                        text.append(name)
                                .append(" = '")
                                .append(value.replace("\\", "\\\\").replace("'", "''"))
                                .append("'\n"));
        return text.toString();
    }

    private String logSince(long position) throws IOException {
        if (!Files.exists(logFile)) {
            return "";
        }
        try (var in = Files.newInputStream(logFile)) {
            in.skipNBytes(position);
            var lines = new String(in.readAllBytes(), UTF_8).lines().toList();
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LINES_OF_LOG), lines.size()));
        }
    }

    /** The server did not come up. */
    static final class NotStarted extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean portTaken;

        NotStarted(int port, String output, String log) {
            super(
                    "Postgres did not start on port %d: %s%nIts log ends with:%n%s"
                            .formatted(port, output, log));
            portTaken = log.contains("Address already in use");
        }

        boolean portTaken() {
            return portTaken;
        }
    }
}
