package io.flowfabric.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Unavailable;

import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZOutputStream;

import java.io.IOException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

class BinariesTest {
    private static final int EXECUTABLE = 0100755;
    private static final int PLAIN = 0100644;

    @TempDir Path folder;

    @Test
    void several_that_unpack_at_once_share_one_complete_copy() throws Exception {
        var archive = archive("bin/postgres");
        int threads = 8;
        var together = new CyclicBarrier(threads);
        try (var executor = Executors.newFixedThreadPool(threads)) {
            var unpacked = new ArrayList<Future<Binaries>>();
            for (int i = 0; i < threads; i++) {
                unpacked.add(
                        executor.submit(
                                () -> {
                                    together.await();
                                    return Binaries.unpack(
                                            "postgres", archive, folder.resolve("to"));
                                }));
            }
            for (var each : unpacked) {
                var program = each.get().program("postgres");
                assertThat(program).isExecutable().hasContent("a server");
                assertThat(program.resolveSibling("link")).isSymbolicLink().hasContent("a server");
                assertThat(program.resolveSibling("readme")).content().hasSize(100_000);
            }
        }
        try (var left = Files.list(folder.resolve("to"))) {
            assertThat(left).hasSize(1);
        }
    }

    @Test
    void what_a_killed_process_left_half_unpacked_is_removed_later() throws Exception {
        var to = folder.resolve("to");
        var old = Files.createDirectories(to.resolve(".unfinished-old"));
        Files.writeString(old.resolve("file"), "half");
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minus(Duration.ofHours(2))));
        var recent = Files.createDirectories(to.resolve(".unfinished-recent"));

        Binaries.unpack("postgres", archive("bin/postgres"), to);

        assertThat(old).doesNotExist();
        assertThat(recent).exists();
    }

    @Test
    void several_that_remove_the_same_half_unpacked_folder_do_not_disturb_each_other()
            throws Exception {
        var old = Files.createDirectories(folder.resolve(".unfinished-old"));
        for (int i = 0; i < 2000; i++) {
            Files.createFile(old.resolve("file-" + i));
        }
        int threads = 4;
        var together = new CyclicBarrier(threads);
        try (var executor = Executors.newFixedThreadPool(threads)) {
            var deleted = new ArrayList<Future<?>>();
            for (int i = 0; i < threads; i++) {
                deleted.add(
                        executor.submit(
                                () -> {
                                    together.await();
                                    Folders.delete(old);
                                    return null;
                                }));
            }
            for (var each : deleted) {
                each.get();
            }
        }
        assertThat(old).doesNotExist();
    }

    @Test
    void an_archive_cannot_write_outside_of_its_folder() throws Exception {
        var archive = archive("../outside");
        assertThatThrownBy(() -> Binaries.unpack("postgres", archive, folder.resolve("to")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("outside");
        assertThat(folder.resolve("to").resolve("outside")).doesNotExist();
    }

    @Test
    void platforms_are_named_as_the_archives_are() {
        assertThat(Platform.of("Linux", "amd64").archiveName())
                .isEqualTo("postgres-linux-x86_64.txz");
        assertThat(Platform.of("Linux", "aarch64").archiveName())
                .isEqualTo("postgres-linux-arm_64.txz");
        assertThat(Platform.of("Mac OS X", "aarch64").archiveName())
                .isEqualTo("postgres-darwin-arm_64.txz");
        assertThat(Platform.current().postgres()).isNotNull();
    }

    @Test
    void a_platform_without_binaries_is_named_in_the_error() {
        assertThatThrownBy(() -> Platform.of("SunOS", "sparcv9").postgres())
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("sunos")
                .hasMessageContaining("sparcv9")
                .hasMessageContaining("a Postgres of your own");
    }

    @Test
    void platforms_that_never_have_one_get_a_sentence_of_their_own() {
        assertThatThrownBy(() -> Platform.of("Mac OS X", "x86_64").postgres())
                .hasMessageContaining("Macs with Intel")
                .hasMessageContaining("a Postgres of your own");
        assertThatThrownBy(() -> Platform.of("Windows 11", "amd64").postgres())
                .hasMessageContaining("WSL")
                .hasMessageContaining("a Postgres of your own");
    }

    @Test
    void a_linux_with_musl_alone_is_noticed() throws Exception {
        var lib = Files.createDirectories(folder.resolve("lib"));
        var lib64 = folder.resolve("lib64");
        assertThat(Platform.isMusl(lib, lib64)).isFalse();
        Files.createFile(lib.resolve("ld-musl-x86_64.so.1"));
        assertThat(Platform.isMusl(lib, lib64)).isTrue();
        Files.createFile(Files.createDirectories(lib64).resolve("ld-linux-x86-64.so.2"));
        assertThat(Platform.isMusl(lib, lib64)).isFalse();
    }

    private URL archive(String program) throws IOException {
        var file = folder.resolve("archive.txz");
        try (var tar =
                new TarArchiveOutputStream(
                        new XZOutputStream(Files.newOutputStream(file), new LZMA2Options(1)))) {
            add(tar, program, "a server", EXECUTABLE);
            add(tar, "bin/readme", "x".repeat(100_000), PLAIN);
            var link = new TarArchiveEntry("bin/link", TarArchiveEntry.LF_SYMLINK);
            link.setLinkName("postgres");
            tar.putArchiveEntry(link);
            tar.closeArchiveEntry();
        }
        return file.toUri().toURL();
    }

    private static void add(TarArchiveOutputStream tar, String name, String text, int mode)
            throws IOException {
        var entry = new TarArchiveEntry(name, true);
        var bytes = text.getBytes(StandardCharsets.UTF_8);
        entry.setSize(bytes.length);
        entry.setMode(mode);
        tar.putArchiveEntry(entry);
        tar.write(bytes);
        tar.closeArchiveEntry();
    }
}
