package io.flowfabric.faults;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.DatabaseOptions;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A durable Postgres that is killed and comes back at the same address. */
final class CrashingServer implements KillableServer {
    private final Path home;
    private final EmbeddedOptions settings;
    private EmbeddedPostgres running;

    CrashingServer(Path home) {
        this(home, Servers.embedded());
    }

    CrashingServer(Path home, EmbeddedOptions settings) {
        this.home = home;
        this.settings = settings;
        this.running = EmbeddedPostgres.start(home, settings);
    }

    DatabaseOptions options() {
        return Servers.options(running);
    }

    @Override
    public StoreAddress freshPlace() {
        return StoreAddress.of(options(), Servers.freshSchema());
    }

    /** Ends every process of the server at once, none of them with a chance to write anything. */
    @Override
    public void kill() {
        var all = processes();
        all.forEach(ProcessHandle::destroyForcibly);
        Waiting.until("the server is gone", () -> all.stream().noneMatch(CrashingServer::lives));
        // It is gone, so that this only gives up the folder.
        running.close();
    }

    /** Stops it in good order: who is connected is sent away, and everything is written. */
    void stop() {
        running.close();
    }

    /** Its processes, the first of which is the one that all others come from. */
    List<ProcessHandle> processes() {
        var postmaster = postmaster();
        return Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
    }

    @Override
    public int port() {
        return running.port();
    }

    /** Where its data is. */
    Path dataDirectory() {
        return running.dataDirectory();
    }

    @Override
    public void restart() {
        stop();
        running = EmbeddedPostgres.start(home, settings.withPort(running.port()));
    }

    private ProcessHandle postmaster() {
        try {
            var file = running.dataDirectory().resolve("postmaster.pid");
            var pid = Long.parseLong(Files.readAllLines(file).getFirst().strip());
            return ProcessHandle.of(pid).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** A process that is dead and not yet buried does no harm. */
    private static boolean lives(ProcessHandle process) {
        return process.isAlive() && process.info().command().isPresent();
    }

    @Override
    public void close() {
        running.close();
    }
}
