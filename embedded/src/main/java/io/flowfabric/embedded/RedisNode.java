package io.flowfabric.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Unavailable;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/** A folder with the data of one Redis, and the server on it. Only its owner may touch it. */
final class RedisNode {
    private static final Logger log = LoggerFactory.getLogger(RedisNode.class);
    private static final Duration PATIENCE_OF_A_CALL = Duration.ofSeconds(5);
    private static final Duration PATIENCE_FOR_A_PORT = Duration.ofSeconds(2);
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);
    private static final int LINES_OF_LOG = 20;

    private final Path folder;
    private final Path program;
    private final int port;
    private final String password;
    private final RedisOptions options;
    private final boolean clustered;

    /**
     * @param folder with nothing else in it
     * @param clustered whether it is a node of a cluster
     */
    RedisNode(
            Path folder,
            Path program,
            int port,
            String password,
            RedisOptions options,
            boolean clustered) {
        this.folder = folder;
        this.program = program;
        this.port = port;
        this.password = password;
        this.options = options;
        this.clustered = clustered;
    }

    int port() {
        return port;
    }

    /** Starts the server and waits until it answers. */
    void start() throws IOException {
        Folders.createPrivate(folder);
        Files.deleteIfExists(configuration());
        Files.writeString(Folders.createPrivateFile(configuration()), settings());
        // That of a server that was killed would be taken for that of this one.
        Files.deleteIfExists(pidFile());
        long before = Files.exists(logFile()) ? Files.size(logFile()) : 0;
        var started =
                Command.run(
                        List.of(program.toString(), configuration().toString()), options.timeout());
        if (!started.succeeded()) {
            throw notStarted(started.output(), before);
        }
        long deadline = System.nanoTime() + options.timeout().toNanos();
        while (!answers()) {
            // It makes the file once it is in the background, so none yet says nothing.
            boolean gone = Files.exists(pidFile()) && process().isEmpty();
            if (gone || System.nanoTime() > deadline || says(before, ", aborting.")) {
                stop();
                throw notStarted("", before);
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    /** Stops a server that outlived its JVM, and never anything else. */
    void clear() throws IOException {
        if (process().isPresent()) {
            log.info("Stopping the Redis that a killed process left behind in {}", folder);
            stop();
        }
    }

    /** Stops the server; without one, does nothing. */
    void stop() throws IOException {
        var running = process();
        if (running.isEmpty()) {
            return;
        }
        // On SIGTERM it writes what it has not yet written.
        running.get().destroy();
        if (!ended(running.get())) {
            log.warn("Redis in {} did not stop in time", folder);
            kill();
        }
    }

    /** Ends the server as a crash would. */
    void kill() throws IOException {
        var running = process();
        if (running.isPresent()) {
            running.get().destroyForcibly();
            if (!ended(running.get())) {
                throw new IOException("Redis in %s does not stop.".formatted(folder));
            }
        }
    }

    RedisWire connect() throws IOException {
        return RedisWire.connect(port, password, PATIENCE_OF_A_CALL);
    }

    /** The process of the server on this folder, if it runs. */
    Optional<ProcessHandle> process() throws IOException {
        if (!Files.exists(pidFile())) {
            return Optional.empty();
        }
        var pid = new String(Files.readAllBytes(pidFile()), UTF_8).strip();
        if (!pid.chars().allMatch(Character::isDigit) || pid.isEmpty()) {
            return Optional.empty();
        }
        return ProcessHandle.of(Long.parseLong(pid))
                .filter(ProcessHandle::isAlive)
                .filter(this::isOurs);
    }

    /** The number of a server that was killed may belong to another process by now. */
    private boolean isOurs(ProcessHandle process) {
        var arguments = process.info().arguments();
        return arguments.isPresent()
                && List.of(arguments.get()).contains(configuration().toString());
    }

    /**
     * Waits for the end of a process that is not a child of ours: the JVM would look for it only
     * every few seconds. One that has ended while nobody asked for its exit has no arguments left.
     */
    private boolean ended(ProcessHandle process) {
        long deadline = System.nanoTime() + options.timeout().toNanos();
        while (process.isAlive() && isOurs(process)) {
            if (System.nanoTime() > deadline) {
                return false;
            }
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
        awaitItsPort();
        return true;
    }

    /**
     * A process loses its arguments a moment before its port, which the next server wants. Should
     * another program have it by then, that server will say so.
     */
    private void awaitItsPort() {
        long deadline = System.nanoTime() + PATIENCE_FOR_A_PORT.toNanos();
        while (!RedisTopology.isFree(port) && System.nanoTime() < deadline) {
            LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
        }
    }

    /** Whether it is up, and has read what it had written before. */
    private boolean answers() {
        try (var wire = connect()) {
            return wire.ask("PING").equals("PONG");
        } catch (IOException e) {
            return false;
        }
    }

    private Path configuration() {
        return folder.resolve("redis.conf");
    }

    private Path pidFile() {
        return folder.resolve("redis.pid");
    }

    private Path logFile() {
        return folder.resolve("redis.log");
    }

    private String settings() {
        var all = new TreeMap<String, String>();
        all.put("maxmemory-policy", "noeviction");
        all.put("save", "");
        all.putAll(options.settings());
        all.put("bind", "127.0.0.1");
        all.put("port", Integer.toString(port));
        all.put("requirepass", password);
        all.put("masterauth", password);
        all.put("dir", folder.toString());
        all.put("daemonize", "yes");
        all.put("pidfile", pidFile().toString());
        all.put("logfile", logFile().toString());
        // So that the process can be told from others by what it was started with.
        all.put("set-proc-title", "no");
        all.put("appendonly", "yes");
        all.put("appendfsync", options.flush().setting);
        if (clustered) {
            all.put("cluster-enabled", "yes");
            all.put("cluster-config-file", "nodes.conf");
            all.putIfAbsent("cluster-node-timeout", "2000");
        }
        var text = new StringBuilder("# Written at every start.\n");
        all.forEach((name, value) -> text.append("%s \"%s\"%n".formatted(name, value)));
        return text.toString();
    }

    private Unavailable notStarted(String output, long before) throws IOException {
        return new Unavailable(
                "Redis did not start in %s on port %d: %s%nIts log ends with:%n%s"
                        .formatted(folder, port, output, logSince(before)));
    }

    private boolean says(long since, String words) throws IOException {
        return logSince(since).contains(words);
    }

    private String logSince(long position) throws IOException {
        if (!Files.exists(logFile())) {
            return "";
        }
        try (var in = Files.newInputStream(logFile())) {
            in.skipNBytes(position);
            var lines = new String(in.readAllBytes(), UTF_8).lines().toList();
            return String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LINES_OF_LOG), lines.size()));
        }
    }
}
