package io.flowfabric.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Base64;

/** The password of the embedded Postgres, in a file that only its owner can read. */
final class Password {
    private static final int RANDOM_BYTES = 24;

    private Password() {}

    static Path file(Path home) {
        return home.resolve("password");
    }

    static boolean exists(Path home) {
        return Files.exists(file(home));
    }

    static String read(Path home) throws IOException {
        return Files.readString(file(home)).strip();
    }

    /** Makes a random one; the file appears complete or not at all. */
    static void create(Path home) throws IOException {
        var bytes = new byte[RANDOM_BYTES];
        new SecureRandom().nextBytes(bytes);
        var unfinished = home.resolve("password.new");
        Files.deleteIfExists(unfinished);
        Folders.createPrivateFile(unfinished);
        Files.writeString(
                unfinished, Base64.getUrlEncoder().withoutPadding().encodeToString(bytes) + "\n");
        Files.move(unfinished, file(home), StandardCopyOption.ATOMIC_MOVE);
    }
}
