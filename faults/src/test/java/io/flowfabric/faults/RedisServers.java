package io.flowfabric.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;

import java.nio.file.Path;

/** Real Redis servers that are durable, and what tests see of them behind the product's back. */
final class RedisServers {
    private static final Path BINARIES =
            Path.of(System.getProperty("flowfabric.embedded.binaries", "target/embedded-binaries"))
                    .toAbsolutePath();

    private static final int PRIMARIES = 3;
    private static final int SLOTS = 16_384;
    private static final String FOLLOWS = "master_link_status";

    private RedisServers() {}

    /** How servers of tests are made: what they acknowledge is on the disk. */
    static RedisOptions embedded() {
        return RedisOptions.DEFAULT
                .withBinaries(BINARIES)
                // A cluster notices soon that a node is gone.
                .withSetting("cluster-node-timeout", "1000")
                // A replica need not wait for others that want the same.
                .withSetting("repl-diskless-sync-delay", "0");
    }

    /** The server for tests that do not kill it. */
    static EmbeddedRedis shared() {
        return Shared.SERVER;
    }

    /** A cluster of three primaries, whose replicas have all that there is. */
    static EmbeddedRedis cluster(Path home, int replicas) {
        var cluster = EmbeddedRedis.startCluster(home, PRIMARIES, replicas, embedded());
        for (int i = PRIMARIES; i < cluster.nodes(); i++) {
            int replica = i;
            Waiting.until("a replica has all", () -> info(cluster, replica, FOLLOWS).equals("up"));
        }
        return cluster;
    }

    /** The node that keeps everything of the default namespace when a cluster of three is new. */
    static int nodeOfWork() {
        return slotOfWork() * PRIMARIES / SLOTS;
    }

    /** The slot of everything of the default namespace. */
    static int slotOfWork() {
        var tag = Partition.of(Namespace.DEFAULT).toString();
        // Of a key, only what stands between its braces is hashed.
        return Partition.crc16(tag.substring(1, tag.length() - 1).getBytes(UTF_8)) % SLOTS;
    }

    /** What a server says of itself under a name. */
    static String info(EmbeddedRedis server, int node, String field) {
        return server.ask(node, "INFO")
                .lines()
                .filter(line -> line.startsWith(field + ":"))
                .map(line -> line.substring(field.length() + 1).strip())
                .findFirst()
                .orElseThrow();
    }

    private static final class Shared {
        static final EmbeddedRedis SERVER =
                EmbeddedRedis.start(Path.of("target", "test-redis").toAbsolutePath(), embedded());
    }
}
