package io.flowfabric.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;

class EmbeddedRedisTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final RedisOptions OPTIONS =
            RedisOptions.DEFAULT.withBinaries(FastPostgres.BINARIES);

    @TempDir Path folder;

    @Test
    void it_is_durable_by_default_and_a_restart_finds_everything() throws IOException {
        var home = folder.resolve("a home with spaces");
        try (var redis = EmbeddedRedis.start(home, OPTIONS)) {
            assertThat(redis.nodes()).isEqualTo(1);
            assertThat(info(redis, 0, "redis_version")).startsWith("7.");
            assertThat(info(redis, 0, "aof_enabled")).isEqualTo("1");
            assertThat(ask(redis, 0, "SET", "kept", "42")).isEqualTo("OK");
        }

        try (var again = EmbeddedRedis.start(home, OPTIONS)) {
            assertThat(ask(again, 0, "GET", "kept")).isEqualTo("42");
        }
    }

    @Test
    void what_was_acknowledged_before_a_crash_is_there_after_it() throws IOException {
        try (var redis = EmbeddedRedis.start(folder, OPTIONS)) {
            ask(redis, 0, "SET", "survivor", "42");

            redis.kill(0);
            assertThatThrownBy(() -> redis.process(0)).isInstanceOf(Unavailable.class);
            redis.restart(0);

            assertThat(ask(redis, 0, "GET", "survivor")).isEqualTo("42");
        }
    }

    @Test
    void only_the_owner_can_read_the_password_and_nobody_enters_without_it() throws IOException {
        try (var redis = EmbeddedRedis.start(folder.resolve("new"), OPTIONS)) {
            var home = folder.resolve("new");
            assertThat(permissions(home)).isEqualTo("rwx------");
            assertThat(permissions(home.resolve("password"))).isEqualTo("rw-------");
            assertThat(permissions(home.resolve("node-1/redis.conf"))).isEqualTo("rw-------");
            assertThat(Files.readString(home.resolve("owner"))).doesNotContain(redis.password());
            assertThatThrownBy(() -> RedisWire.connect(redis.port(0), "guess", PATIENCE))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("WRONGPASS");
        }
    }

    @Test
    void closing_twice_is_closing_once_and_gives_the_home_back() {
        var first = EmbeddedRedis.start(folder, OPTIONS);
        assertThatThrownBy(() -> EmbeddedRedis.start(folder, OPTIONS))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("The embedded Redis in")
                .hasMessageContaining(Long.toString(ProcessHandle.current().pid()))
                .hasMessageContaining(first.url());

        first.close();
        first.close();

        assertThatThrownBy(() -> ask(first, 0, "PING")).isInstanceOf(ConnectException.class);
        try (var second = EmbeddedRedis.start(folder, OPTIONS)) {
            first.close();
            assertThat(second.process(0).isAlive()).isTrue();
        }
    }

    @Test
    void a_process_that_only_inherited_the_number_of_a_dead_server_is_left_alone()
            throws IOException {
        var stranger = new ProcessBuilder("sleep", "60").start();
        try {
            EmbeddedRedis.start(folder, OPTIONS).close();
            Files.writeString(folder.resolve("node-1/redis.pid"), stranger.pid() + "\n");

            EmbeddedRedis.start(folder, OPTIONS).close();

            assertThat(stranger.isAlive()).isTrue();
        } finally {
            stranger.destroyForcibly();
        }
    }

    @Test
    void what_keeps_it_from_starting_is_in_the_error_and_keeps_no_home() throws IOException {
        try (var taken =
                new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            var options = OPTIONS.withPort(taken.getLocalPort());
            assertThatThrownBy(() -> EmbeddedRedis.start(folder, options))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("port " + taken.getLocalPort())
                    .hasMessageContaining("in use");
        }
        var nonsense = OPTIONS.withSetting("maxmemory", "many");
        assertThatThrownBy(() -> EmbeddedRedis.start(folder, nonsense))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("maxmemory");

        EmbeddedRedis.start(folder, OPTIONS).close();
    }

    @Test
    void what_the_launcher_decides_cannot_be_set() {
        assertThatThrownBy(() -> OPTIONS.withSetting("appendonly", "no"))
                .isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> OPTIONS.withSetting("maxmemory", "1\"\nport 1"))
                .isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> EmbeddedRedis.startCluster(folder, 2, 0, OPTIONS))
                .isInstanceOf(Invalid.class);
    }

    @Test
    void a_cluster_serves_every_slot_also_after_a_restart() throws IOException {
        int first;
        try (var cluster = EmbeddedRedis.startCluster(folder, 3, 0, OPTIONS)) {
            assertThat(cluster.nodes()).isEqualTo(3);
            assertThat(clusterInfo(cluster, 1)).contains("cluster_state:ok", "cluster_size:3");
            // Slot 0 is of the first node.
            assertThat(ask(cluster, 0, "SET", "{3560}", "42")).isEqualTo("OK");
            first = cluster.port(0);
        }

        try (var again = EmbeddedRedis.startCluster(folder, 3, 0, OPTIONS)) {
            assertThat(again.port(0)).isEqualTo(first);
            assertThat(clusterInfo(again, 2)).contains("cluster_state:ok");
            assertThat(ask(again, 0, "GET", "{3560}")).isEqualTo("42");
        }
    }

    @Test
    void a_replica_takes_over_from_a_primary_that_is_gone() throws Exception {
        try (var cluster = EmbeddedRedis.startCluster(folder, 3, 1, OPTIONS)) {
            assertThat(cluster.nodes()).isEqualTo(6);
            var deadline = System.nanoTime() + PATIENCE.multipliedBy(3).toNanos();
            while (!info(cluster, 3, "master_link_status").equals("up")) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }

            cluster.kill(0);

            while (!info(cluster, 3, "role").equals("master")) {
                assertThat(System.nanoTime()).isLessThan(deadline);
                Thread.onSpinWait();
            }
        }
    }

    private static String ask(EmbeddedRedis redis, int node, String... words) throws IOException {
        try (var wire = RedisWire.connect(redis.port(node), redis.password(), PATIENCE)) {
            return wire.ask(words);
        }
    }

    private static String clusterInfo(EmbeddedRedis redis, int node) throws IOException {
        return ask(redis, node, "CLUSTER", "INFO");
    }

    private static String info(EmbeddedRedis redis, int node, String field) throws IOException {
        return ask(redis, node, "INFO")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    private static String permissions(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }
}
