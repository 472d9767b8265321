package io.flowfabric.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Unavailable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

class EmbeddedPostgresTest {
    private static final EmbeddedOptions DURABLE =
            EmbeddedOptions.DEFAULT.withBinaries(FastPostgres.BINARIES);

    /** With data in it already, which takes longer to make than anything else here. */
    @TempDir static Path used;

    @TempDir Path folder;

    @Test
    void it_is_durable_by_default_and_a_restart_finds_everything() throws Exception {
        var home = folder.resolve("a home with spaces");
        try (var postgres = EmbeddedPostgres.start(home, DURABLE)) {
            assertThat(ask(postgres, "show fsync")).isEqualTo("on");
            assertThat(ask(postgres, "show synchronous_commit")).isEqualTo("on");
            assertThat(ask(postgres, "show full_page_writes")).isEqualTo("on");
            assertThat(ask(postgres, "show data_checksums")).isEqualTo("on");
            assertThat(ask(postgres, "show listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(ask(postgres, "show unix_socket_directories")).isEmpty();
            assertThat(ask(postgres, "show server_version")).startsWith("18.");
            tell(postgres, "create table kept as select 42 as n");
        }

        try (var again = EmbeddedPostgres.start(home, DURABLE)) {
            assertThat(ask(again, "select n from kept")).isEqualTo("42");
        }
    }

    @Test
    void only_the_owner_can_read_the_password_and_nobody_enters_without_it() throws Exception {
        try (var postgres = EmbeddedPostgres.start(folder.resolve("new"), FastPostgres.fast())) {
            var home = postgres.dataDirectory().resolveSibling(".").normalize();
            assertThat(permissions(home)).isEqualTo("rwx------");
            assertThat(permissions(home.resolve("password"))).isEqualTo("rw-------");
            assertThat(permissions(postgres.dataDirectory())).isEqualTo("rwx------");
            assertThat(Files.readString(home.resolve("owner"))).doesNotContain(postgres.password());
            assertThatThrownBy(
                            () ->
                                    DriverManager.getConnection(
                                            postgres.url(), postgres.user(), "guess"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
        }
    }

    @Test
    void closing_twice_is_closing_once_and_gives_the_home_back() {
        var first = EmbeddedPostgres.start(used, FastPostgres.fast());
        assertThatThrownBy(() -> EmbeddedPostgres.start(used, FastPostgres.fast()))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                .hasMessageContaining(first.url());

        first.close();
        first.close();

        assertThat(Files.exists(Postmaster.file(first.dataDirectory()))).isFalse();
        var second = EmbeddedPostgres.start(used, FastPostgres.fast());
        first.close();
        assertThat(Files.exists(Postmaster.file(second.dataDirectory()))).isTrue();
        second.close();
    }

    @Test
    void a_process_that_only_inherited_the_number_of_a_dead_server_is_left_alone()
            throws Exception {
        var stranger = new ProcessBuilder("sleep", "60").start();
        try {
            EmbeddedPostgres.start(used, FastPostgres.fast()).close();
            var data = used.toRealPath().resolve("data");
            Files.writeString(Postmaster.file(data), "%d%n%s%n".formatted(stranger.pid(), data));

            EmbeddedPostgres.start(used, FastPostgres.fast()).close();

            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void what_was_committed_before_a_crash_of_the_server_is_there_after_the_next_start()
            throws Exception {
        try (var postgres = EmbeddedPostgres.start(used, DURABLE)) {
            tell(postgres, "create table survivor as select 42 as n");
            var server =
                    Postmaster.pid(postgres.dataDirectory())
                            .flatMap(ProcessHandle::of)
                            .orElseThrow();
            server.destroyForcibly();
            server.onExit().get(30, TimeUnit.SECONDS);
        }

        try (var again = EmbeddedPostgres.start(used, DURABLE)) {
            assertThat(ask(again, "select n from survivor")).isEqualTo("42");
        }
    }

    @Test
    void what_keeps_it_from_starting_is_in_the_error_and_keeps_no_home() throws Exception {
        try (var taken =
                new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            var options = FastPostgres.fast().withPort(taken.getLocalPort());
            assertThatThrownBy(() -> EmbeddedPostgres.start(used, options))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("port " + taken.getLocalPort())
                    .hasMessageContaining("Address already in use");
        }
        var nonsense = FastPostgres.fast().withSetting("shared_buffers", "many");
        assertThatThrownBy(() -> EmbeddedPostgres.start(used, nonsense))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("invalid value for parameter \"shared_buffers\": \"many\"");

        EmbeddedPostgres.start(used, FastPostgres.fast()).close();
    }

    @Test
    void a_path_that_a_shell_would_misread_is_refused() {
        assertThatThrownBy(() -> EmbeddedPostgres.start(folder.resolve("$HOME")))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("without");
    }

    @Test
    void settings_reach_the_server_and_durability_can_be_given_up() throws Exception {
        try (var postgres =
                EmbeddedPostgres.start(
                        used,
                        FastPostgres.fast()
                                .withSetting("cluster_name", "it's \\ here")
                                .withSetting("max_connections", "17"))) {
            assertThat(ask(postgres, "show fsync")).isEqualTo("off");
            assertThat(ask(postgres, "show max_connections")).isEqualTo("17");
            assertThat(ask(postgres, "show cluster_name")).isEqualTo("it's \\ here");
        }
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static String ask(EmbeddedPostgres postgres, String question) throws SQLException {
        try (var connection = FastPostgres.connect(postgres);
                var statement = connection.createStatement();
                var results = statement.executeQuery(question)) {
            results.next();
            return results.getString(1);
        }
    }

    private static void tell(EmbeddedPostgres postgres, String command) throws SQLException {
        try (var connection = FastPostgres.connect(postgres);
                var statement = connection.createStatement()) {
            statement.execute(command);
        }
    }
}
