package io.flowfabric.embedded;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.tukaani.xz.XZInputStream;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;
import java.util.zip.CheckedInputStream;

/**
 * The unpacked server.
 *
 * <p>It lies in a folder named after the checksum of its archive. The folder appears by one rename
 * of a complete, flushed copy: if it is there, it is whole, and of several processes that unpack at
 * once one wins and the others use what it made.
 */
final class Binaries {
    private static final Logger log = LoggerFactory.getLogger(Binaries.class);
    private static final String UNFINISHED = ".unfinished-";
    private static final Duration ABANDONED = Duration.ofHours(1);
    private static final int EXECUTABLE = 0100;

    /** Names the folder for all servers of this JVM. */
    private static final String SHARED = "flowfabric.embedded.binaries";

    private final Path folder;

    private Binaries(Path folder) {
        this.folder = folder;
    }

    /** Where a server is unpacked: as it is asked for, as the JVM is told, or else in its home. */
    static Path folder(Optional<Path> wanted, Path home) {
        return wanted.or(() -> Optional.ofNullable(System.getProperty(SHARED)).map(Path::of))
                .orElse(home.resolve("binaries"))
                .toAbsolutePath();
    }

    /**
     * Unpacks a server below {@code parent}, unless it is there already.
     *
     * @param archive with everything in it, or its only program
     */
    static Binaries unpack(String server, URL archive, Path parent) throws IOException {
        var folder = parent.resolve(server + "-" + fingerprint(archive));
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(parent);
            removeAbandoned(parent);
            var unfinished = parent.resolve(UNFINISHED + UUID.randomUUID());
            try {
                extract(archive, unfinished);
                publish(unfinished, folder);
            } finally {
                Folders.delete(unfinished);
            }
            log.info("The server was unpacked to {}", folder);
        }
        return new Binaries(folder);
    }

    /** One of its programs, such as {@code initdb} or {@code redis-server}. */
    Path program(String name) {
        return folder.resolve("bin").resolve(name);
    }

    Path folder() {
        return folder;
    }

    private static void publish(Path unfinished, Path folder) throws IOException {
        try {
            Files.move(unfinished, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            // Another process was faster; its copy is complete, because it appeared by a rename.
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        }
    }

    private static void extract(URL archive, Path target) throws IOException {
        Files.createDirectories(target);
        if (!archive.getPath().endsWith(".txz")) {
            copy(archive, target);
            return;
        }
        try (var in = archive.openStream();
                var tar =
                        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(in)))) {
            for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                write(tar, entry, inside(target, entry));
            }
        }
    }

    /** A server that is one program, by the first words of its name. */
    private static void copy(URL program, Path target) throws IOException {
        var path = program.getPath();
        var name = path.substring(path.lastIndexOf('/') + 1).replaceAll("-[0-9].*", "");
        var file = Files.createDirectories(target.resolve("bin")).resolve(name);
        try (var in = program.openStream()) {
            Files.copy(in, file);
        }
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
        flush(file);
    }

    private static void flush(Path file) throws IOException {
        try (var written = FileChannel.open(file, StandardOpenOption.WRITE)) {
            written.force(false);
        }
    }

    private static Path inside(Path target, TarArchiveEntry entry) throws IOException {
        var path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
            throw new IOException("The archive reaches outside of itself: " + entry.getName());
        }
        return path;
    }

    private static void write(InputStream in, TarArchiveEntry entry, Path path) throws IOException {
        if (entry.isDirectory()) {
            Files.createDirectories(path);
            return;
        }
        Files.createDirectories(path.resolveSibling("."));
        if (entry.isSymbolicLink()) {
            Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
            return;
        }
        Files.copy(in, path);
        if ((entry.getMode() & EXECUTABLE) != 0) {
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        flush(path);
    }

    /** What was left by processes that were killed while unpacking. */
    private static void removeAbandoned(Path parent) throws IOException {
        var before = Instant.now().minus(ABANDONED);
        try (var folders = Files.newDirectoryStream(parent, UNFINISHED + "*")) {
            for (var folder : folders) {
                if (isOlder(folder, before)) {
                    Folders.delete(folder);
                }
            }
        }
    }

    private static boolean isOlder(Path folder, Instant than) throws IOException {
        try {
            return Files.getLastModifiedTime(folder).toInstant().isBefore(than);
        } catch (NoSuchFileException finished) {
            // Another process has just unpacked it, and given it its name.
            return false;
        }
    }

    /** What the archive is, by its content. A jar knows it without reading the archive. */
    private static String fingerprint(URL archive) throws IOException {
        var connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            return name(jar.getJarEntry().getCrc(), jar.getJarEntry().getSize());
        }
        try (var in = new CheckedInputStream(connection.getInputStream(), new CRC32())) {
            long size = in.transferTo(OutputStream.nullOutputStream());
            return name(in.getChecksum().getValue(), size);
        }
    }

    private static String name(long crc, long size) {
        return "%08x-%d".formatted(crc, size);
    }
}
