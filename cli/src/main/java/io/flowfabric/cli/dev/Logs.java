package io.flowfabric.cli.dev;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** The files that everything is logged to, so that the screen is left to the story. */
final class Logs {
    private static final long LARGE = 4L << 20;

    private Logs() {}

    /** Lets this process log to a file of this name from now on. */
    static void redirect(Path folder, String name) {
        try {
            // Not closed: it takes what is logged until the process ends.
            @SuppressWarnings("resource")
            var out = new FileOutputStream(file(folder, name).toFile(), true);
            System.setErr(new PrintStream(out, true, UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e.toString(), e);
        }
    }

    /** A file to append to; one that has become large is put aside first. */
    static Path file(Path folder, String name) {
        try {
            Files.createDirectories(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
            var file = folder.resolve(name + ".log");
            if (Files.exists(file) && Files.size(file) > LARGE) {
                Files.move(
                        file,
                        folder.resolve(name + ".log.old"),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            return file;
        } catch (IOException e) {
            throw new UncheckedIOException(e.toString(), e);
        }
    }
}
