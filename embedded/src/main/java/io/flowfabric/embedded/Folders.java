package io.flowfabric.embedded;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;

/** Folders and files that only their owner may read. */
final class Folders {
    private Folders() {}

    /** Makes the folder for its owner alone; one that is there already stays as it is. */
    static void createPrivate(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(
                    folder,
                    PosixFilePermissions.asFileAttribute(
                            PosixFilePermissions.fromString("rwx------")));
        }
    }

    /** Makes an empty file for its owner alone, and fails when there is one. */
    static Path createPrivateFile(Path file) throws IOException {
        return Files.createFile(
                file,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    }

    /**
     * Deletes a folder and everything in it. What is not there any more is fine: another process
     * may be deleting it, too.
     */
    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(
                folder,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.deleteIfExists(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFileFailed(Path file, IOException failure)
                            throws IOException {
                        if (failure instanceof NoSuchFileException) {
                            return FileVisitResult.CONTINUE;
                        }
                        throw failure;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path visited, IOException failure)
                            throws IOException {
                        Files.deleteIfExists(visited);
                        return FileVisitResult.CONTINUE;
                    }
                });
    }
}
