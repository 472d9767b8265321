package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.embedded.RedisOptions.Flush;
import io.lettuce.core.FlushMode;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;

/** What a cluster says while it changes is not the fault of a request. */
@TestInstance(Lifecycle.PER_CLASS)
class PassingErrorsTest {
    private EmbeddedRedis redis;
    private RedisClient client;

    @BeforeAll
    void start(@TempDir Path home) {
        redis =
                EmbeddedRedis.startCluster(
                        home,
                        3,
                        0,
                        RedisOptions.DEFAULT
                                .withFlush(Flush.SELDOM)
                                .withSetting("cluster-require-full-coverage", "no"));
        client = RedisClient.create();
    }

    @AfterAll
    void stop() {
        client.shutdown();
        redis.close();
    }

    @Test
    void a_call_is_repeated_while_a_slot_is_being_moved() throws Exception {
        try (var store = open("moved:")) {
            submit(store, Lane.of("default")).orThrow();
            int slot = slot(Namespace.DEFAULT);
            var from = node(owner(slot));
            var to = node((owner(slot) + 1) % 3);
            to.clusterSetSlotImporting(slot, from.clusterMyId());
            from.clusterSetSlotMigrating(slot, to.clusterMyId());
            // Some of its keys never were, so that the node cannot know where they are.
            var under = CompletableFuture.supplyAsync(() -> submit(store, Lane.of("default")));
            assertThatThrownBy(() -> under.get(300, TimeUnit.MILLISECONDS))
                    .isInstanceOf(TimeoutException.class);
            from.clusterSetSlotStable(slot);
            to.clusterSetSlotStable(slot);

            assertThat(under.get(10, TimeUnit.SECONDS).isDone()).isTrue();
        }
    }

    @Test
    void a_call_to_a_slot_that_stays_on_its_way_is_to_be_repeated_later() {
        try (var store = open("stays:")) {
            submit(store, Lane.of("default")).orThrow();
            int slot = slot(Namespace.DEFAULT);
            var from = node(owner(slot));
            var to = node((owner(slot) + 1) % 3);
            to.clusterSetSlotImporting(slot, from.clusterMyId());
            from.clusterSetSlotMigrating(slot, to.clusterMyId());
            try {
                assertThatThrownBy(() -> submit(store, Lane.of("default")))
                        .isInstanceOf(StoreFailure.class)
                        .matches(e -> !FlowFabricException.concernsRequest(e));
            } finally {
                from.clusterSetSlotStable(slot);
                to.clusterSetSlotStable(slot);
            }
        }
    }

    @Test
    void functions_are_handed_to_the_node_that_needs_them_though_another_is_down() {
        int down = (owner(slot(Namespace.DEFAULT)) + 1) % 3;
        try (var store = open("down:")) {
            submit(store, Lane.of("default")).orThrow();
            redis.kill(down);
            try {
                node(owner(slot(Namespace.DEFAULT))).functionFlush(FlushMode.SYNC);

                assertThat(submit(store, Lane.of("default")).isDone()).isTrue();
            } finally {
                redis.restart(down);
            }
        }
    }

    private ValkeyStore open(String prefix) {
        return ValkeyStore.open(
                ValkeyOptions.of(redis.url())
                        .withPassword(redis.password())
                        .withPrefix(prefix)
                        .withCallTimeout(Duration.ofSeconds(5))
                        .withConnectTimeout(Duration.ofSeconds(2)));
    }

    private static Answer<?> submit(ValkeyStore store, Lane lane) {
        return store.submissions()
                .submit(List.of(Submission.of("job", Payload.EMPTY).lane(lane)))
                .getFirst();
    }

    private static int slot(Namespace namespace) {
        return SlotHash.getSlot((Partition.of(namespace) + ":meta").getBytes(UTF_8));
    }

    /** The node that has a slot. */
    private int owner(int slot) {
        return IntStream.range(0, redis.nodes())
                .filter(node -> serves(node, slot))
                .findFirst()
                .orElseThrow();
    }

    private boolean serves(int node, int slot) {
        return node(node)
                .clusterNodes()
                .lines()
                .filter(line -> line.contains("myself"))
                .flatMap(line -> Arrays.stream(line.split(" ")).skip(8))
                .filter(range -> !range.startsWith("["))
                .map(range -> range.split("-"))
                .anyMatch(
                        ends ->
                                Integer.parseInt(ends[0]) <= slot
                                        && slot <= Integer.parseInt(ends[ends.length - 1]));
    }

    private RedisCommands<String, String> node(int node) {
        var uri =
                RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(redis.port(node))
                        .withPassword(redis.password().toCharArray())
                        .build();
        return client.connect(uri).sync();
    }
}
