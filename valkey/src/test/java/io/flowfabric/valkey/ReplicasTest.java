package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.ClusterPartitionParser;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A cluster with a replica for each primary, of which calls want to be sure. */
class ReplicasTest {
    private static final int PRIMARIES = 3;
    private static final RedisOptions OPTIONS =
            RedisOptions.DEFAULT.withBinaries(ServersAtStartTest.BINARIES);

    @TempDir static Path folder;

    private static EmbeddedRedis cluster;

    @BeforeAll
    static void start() {
        cluster = EmbeddedRedis.startCluster(folder.resolve("home"), PRIMARIES, 1, OPTIONS);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Test
    void what_was_answered_is_on_a_replica() {
        try (var store = ValkeyStore.open(options().withReplicas(1, Duration.ofSeconds(5)))) {
            for (int i = 0; i < 12; i++) {
                var before = received();
                submit(store, "tenant-" + i);
                assertThat(received()).isGreaterThan(before);
            }
        }
    }

    @Test
    void with_too_few_of_them_a_call_fails_and_may_have_been_applied() {
        var two = options().withReplicas(2, Duration.ofMillis(200));
        // There is one replica of each, so nobody can have two.
        assertThatThrownBy(
                        () -> {
                            try (var store = ValkeyStore.open(two)) {
                                submit(store, "two");
                            }
                        })
                .isInstanceOfSatisfying(
                        StoreFailure.class,
                        failure -> assertThat(failure.mayHaveApplied()).isTrue())
                .hasMessageContaining("replicas, not by 2");
    }

    @Test
    void when_no_replica_is_there_any_more_a_call_fails_until_one_is_back() {
        try (var store = ValkeyStore.open(options().withReplicas(1, Duration.ofMillis(500)))) {
            submit(store, "before");
            for (int node = PRIMARIES; node < cluster.nodes(); node++) {
                cluster.kill(node);
            }
            var one = submission("before");

            assertThatThrownBy(() -> store.submissions().submit(List.of(one)))
                    .isInstanceOfSatisfying(
                            StoreFailure.class,
                            failure -> assertThat(failure.mayHaveApplied()).isTrue());
            // The primary has it, as it was told.
            assertThat(store.queries().describe(List.of(one.id())).getFirst().orThrow().id())
                    .isEqualTo(one.id());

            for (int node = PRIMARIES; node < cluster.nodes(); node++) {
                cluster.restart(node);
            }
            acknowledged(store, one);
        }
    }

    @Test
    void a_call_that_is_sent_elsewhere_is_waited_for_there() {
        var namespace = "moves";
        try (var store = ValkeyStore.open(options().withReplicas(1, Duration.ofSeconds(5)))) {
            submit(store, "stays");
            move(Partition.of(new Namespace(namespace)));

            // The store has not heard of it, and asks where it was.
            submit(store, namespace);
            submit(store, namespace);
        }
    }

    @Test
    void the_time_for_replicas_is_shorter_than_that_for_a_call() {
        var options = options().withCallTimeout(Duration.ofSeconds(2));

        assertThat(options.withReplicas(1, Duration.ofSeconds(1)).replicas()).isEqualTo(1);
        assertThatThrownBy(() -> options.withReplicas(1, Duration.ofSeconds(2)))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining("not shorter than the call timeout");
        assertThatThrownBy(() -> options.withReplicas(-1, Duration.ofSeconds(1)))
                .isInstanceOf(Invalid.class);
    }

    /** Repeats a call unchanged, as it was told, until a replica has connected again. */
    private static void acknowledged(ValkeyStore store, Submission one) {
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (true) {
            try {
                store.submissions().submit(List.of(one)).getFirst().orThrow();
                return;
            } catch (StoreFailure e) {
                if (System.nanoTime() > until) {
                    throw e;
                }
            }
        }
    }

    /** Gives the slot of a partition without keys to the next primary. */
    private static void move(Partition partition) {
        var key = new KeySpace("flowfabric:").key(partition, "meta");
        int slot = SlotHash.getSlot(key);
        try (var first = ServersAtStartTest.client(cluster, 0);
                var second = ServersAtStartTest.client(cluster, 1);
                var third = ServersAtStartTest.client(cluster, 2)) {
            var nodes =
                    List.of(
                            first.connect().sync(),
                            second.connect().sync(),
                            third.connect().sync());
            var ids = nodes.stream().map(node -> node.clusterMyId()).toList();
            var topology = ClusterPartitionParser.parse(nodes.getFirst().clusterNodes());
            int from = ids.indexOf(topology.getPartitionBySlot(slot).getNodeId());
            int to = (from + 1) % PRIMARIES;
            assertThat(nodes.get(from).clusterCountKeysInSlot(slot)).isZero();
            nodes.get(to).clusterSetSlotImporting(slot, ids.get(from));
            nodes.get(from).clusterSetSlotMigrating(slot, ids.get(to));
            for (int node : List.of(to, from, 3 - to - from)) {
                nodes.get(node).clusterSetSlotNode(slot, ids.get(to));
            }
        }
    }

    /** How many bytes the replicas have from their primaries. */
    private static long received() {
        long sum = 0;
        for (int node = PRIMARIES; node < cluster.nodes(); node++) {
            try (var client = ServersAtStartTest.client(cluster, node)) {
                sum +=
                        client.connect()
                                .sync()
                                .info("replication")
                                .lines()
                                .filter(line -> line.startsWith("slave_repl_offset:"))
                                .mapToLong(line -> Long.parseLong(line.split(":", -1)[1].strip()))
                                .sum();
            }
        }
        return sum;
    }

    private static Submission submission(String namespace) {
        return Submission.of("greet", Payload.text("Ada"))
                .lane(new Lane(new Namespace(namespace), "default"));
    }

    private static void submit(ValkeyStore store, String namespace) {
        store.submissions().submit(List.of(submission(namespace))).getFirst().orThrow();
    }

    private static ValkeyOptions options() {
        return ValkeyOptions.of(cluster.url()).withPassword(cluster.password());
    }
}
