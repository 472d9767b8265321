package io.flowfabric.cli.dev;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Unavailable;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A demo worker, seen from the process that started it. */
final class WorkerProcess {
    private static final Duration GOODBYE = Duration.ofSeconds(5);

    private final Profile profile;
    private final Process process;
    private final Path log;

    private WorkerProcess(Profile profile, Process process, Path log) {
        this.profile = profile;
        this.process = process;
        this.log = log;
    }

    /** Starts one with the Java and the class path of this process. It is not ready yet. */
    static WorkerProcess start(Profile profile, DevStore store, StoreLogin login, Path log) {
        var command =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        // Three more of them have to fit into a laptop, and start quickly.
                        "-Xmx128m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        DevWorker.class.getName(),
                        profile.name(),
                        store.name());
        try {
            var process =
                    new ProcessBuilder(command)
                            .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()))
                            .start();
            var started = new WorkerProcess(profile, process, log);
            started.tell(login);
            return started;
        } catch (IOException e) {
            throw new UncheckedIOException("A worker process could not be started.", e);
        }
    }

    Profile profile() {
        return profile;
    }

    long pid() {
        return process.pid();
    }

    /**
     * Waits until it takes work.
     *
     * @throws Unavailable when it ends instead
     */
    void awaitReady() {
        try {
            // Closing the reader would close the process's end of the pipe; nothing more comes.
            var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8));
            var line = out.readLine();
            if (!DevWorker.READY.equals(line)) {
                throw new Unavailable(
                        "Worker %s ended before it was ready; %s says why."
                                .formatted(profile.worker(), log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Kills it with SIGKILL, which no process can do anything about. */
    void kill() {
        process.destroyForcibly();
        await(GOODBYE);
    }

    /** Asks it to finish what it is doing and to end. */
    void dismiss() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already.
        }
    }

    /** Waits until it has ended, and sees to it that it does. */
    void awaitEnd() {
        if (!await(GOODBYE)) {
            kill();
        }
    }

    /** Where the store is goes through the pipe: a command line can be read by everybody. */
    private void tell(StoreLogin login) throws IOException {
        var in = process.getOutputStream();
        in.write(
                "%s\n%s\n%s\n"
                        .formatted(login.url(), login.user(), login.password())
                        .getBytes(UTF_8));
        in.flush();
    }

    private boolean await(Duration patience) {
        try {
            return process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException("Nobody interrupts this thread.", e);
        }
    }
}
