package io.flowfabric.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The outcome of a program that ran to its end.
 *
 * @param exit 0 when it is content
 * @param output what it printed, errors included
 */
record Command(int exit, String output) {
    /** The exit of a program that had to be ended, as a shell would say it. */
    private static final int OUT_OF_TIME = 124;

    /**
     * Runs a program. An interrupt does not end it half-way; it is kept for the caller.
     *
     * @param timeout after which it is killed
     */
    static Command run(List<String> words, Duration timeout) throws IOException {
        // A file and not a pipe: a server that is started inherits it, and would keep a pipe open.
        var output = Files.createTempFile("flowfabric-", ".out");
        try {
            var builder =
                    new ProcessBuilder(words)
                            .redirectErrorStream(true)
                            .redirectOutput(output.toFile())
                            .redirectInput(Path.of("/dev/null").toFile());
            var environment = builder.environment();
            // PGDATA, PGPORT, PGOPTIONS and so on are meant for a Postgres of the user's own.
            environment.keySet().removeIf(name -> name.startsWith("PG"));
            environment.put("LC_ALL", "C");
            var process = builder.start();
            boolean ended = await(process, timeout);
            var printed = new String(Files.readAllBytes(output), UTF_8).strip();
            return ended
                    ? new Command(process.exitValue(), printed)
                    : new Command(
                            OUT_OF_TIME,
                            "%s did not end within %d s. %s"
                                    .formatted(
                                            String.join(" ", words), timeout.toSeconds(), printed));
        } finally {
            Files.deleteIfExists(output);
        }
    }

    boolean succeeded() {
        return exit == 0;
    }

    private static boolean await(Process process, Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long left = deadline - System.nanoTime();
                    if (process.waitFor(left, TimeUnit.NANOSECONDS)) {
                        return true;
                    }
                    process.destroyForcibly();
                    return false;
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
