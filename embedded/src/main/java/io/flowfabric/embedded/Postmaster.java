package io.flowfabric.embedded;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * What {@code postmaster.pid} says about a server on a data folder, and whether it is true.
 *
 * <p>The file outlives a server that was killed, and its process id may belong to another process
 * by then.
 */
enum Postmaster {
    /** No server runs; if the file is there, Postgres itself knows that it is out of date. */
    NONE,
    /** A server runs on this data folder. */
    RUNNING,
    /** The process has nothing to do with the data folder, or is dead and only not yet buried. */
    STRANGER,
    /** There is such a process, and we may not see what it is. */
    UNKNOWN;

    private static final String FILE = "postmaster.pid";

    static Path file(Path data) {
        return data.resolve(FILE);
    }

    static Optional<Long> pid(Path data) throws IOException {
        var file = file(data);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        try {
            var text = new String(Files.readAllBytes(file), UTF_8);
            return text.lines().findFirst().map(String::strip).map(Long::valueOf);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    static Postmaster find(Path data) throws IOException {
        var process = pid(data).flatMap(ProcessHandle::of);
        if (process.isEmpty() || !process.get().isAlive()) {
            return NONE;
        }
        var arguments = process.get().info().arguments();
        if (arguments.isPresent()) {
            for (var argument : arguments.get()) {
                if (argument.equals(data.toString())) {
                    return RUNNING;
                }
            }
            return STRANGER;
        }
        return isZombie(process.get().pid()) ? STRANGER : UNKNOWN;
    }

    /** Whether the process has ended, and its parent has not asked for its exit code. */
    private static boolean isZombie(long pid) {
        try {
            var stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
            // The name of the program stands in brackets and may contain anything.
            return stat.startsWith(" Z", stat.lastIndexOf(')') + 1);
        } catch (IOException e) {
            return false;
        }
    }
}
