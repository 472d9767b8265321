package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.Packer;
import io.lettuce.core.AclSetuserArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.CommandType;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;

/** A real server that is asked what it is when a store is opened on it. */
class ServersAtStartTest {
    private static final Path HOME = Path.of("target", "test-redis").toAbsolutePath();

    /** Where the server is unpacked, once for all tests. */
    static final Path BINARIES = HOME.resolve("binaries");

    private static final RedisOptions OPTIONS = RedisOptions.DEFAULT.withBinaries(BINARIES);

    private static final EmbeddedRedis SERVER =
            EmbeddedRedis.start(HOME.resolve("at-start"), OPTIONS);
    private static final RedisClient CLIENT = client(SERVER, 0);

    private final RedisCommands<byte[], byte[]> direct =
            CLIENT.connect(ByteArrayCodec.INSTANCE).sync();

    @AfterAll
    static void stop() {
        CLIENT.shutdown();
        SERVER.close();
    }

    @AfterEach
    void as_it_was() {
        direct.configSet("maxmemory-policy", "noeviction");
        direct.replicaofNoOne();
        direct.flushall();
    }

    @Test
    void one_that_evicts_is_refused() {
        direct.configSet("maxmemory-policy", "allkeys-lru");

        refused(options(), "maxmemory-policy allkeys-lru");
    }

    @Test
    void a_replica_is_refused_and_names_its_primary() {
        direct.replicaof("127.0.0.1", 1);

        refused(options(), "is a replica of 127.0.0.1:1 and takes no writes");
    }

    @Test
    void several_hosts_that_are_no_cluster_are_refused() {
        var url = "redis://127.0.0.1:%d,127.0.0.1:%<d".formatted(SERVER.port(0));

        refused(ValkeyOptions.of(url).withPassword(SERVER.password()), "is no cluster");
    }

    @Test
    void one_that_must_not_be_asked_is_used_all_the_same() {
        direct.aclSetuser(
                "shy",
                AclSetuserArgs.Builder.on()
                        .addPassword("secret")
                        .keyPattern("flowfabric:*")
                        .channelPattern("flowfabric:*")
                        .allCommands()
                        .removeCommand(CommandType.INFO)
                        .removeCommand(CommandType.CONFIG));

        try (var store = ValkeyStore.open(options().withUser("shy").withPassword("secret"))) {
            works(store);
        }
    }

    @Test
    void the_number_of_partitions_is_noted_and_compared() {
        var place = new KeySpace("flowfabric:").key(Partition.of(Namespace.DEFAULT), "global");
        var field = "partition_count".getBytes(UTF_8);
        ValkeyStore.open(options()).close();
        assertThat(direct.hget(place, field)).isEqualTo(new Packer().number(256).done());
        ValkeyStore.open(options()).close();

        direct.hset(place, field, new Packer().number(512).done());

        refused(options(), "is shared out over 512 partitions");
        ValkeyStore.open(options().withPrefix("other:")).close();
    }

    @Test
    void one_host_of_a_cluster_leads_to_all_of_it(@TempDir Path home) {
        try (var cluster = EmbeddedRedis.startCluster(home.resolve("cluster"), 3, 0, OPTIONS)) {
            var host = "redis://127.0.0.1:" + cluster.port(1);
            var one = ValkeyOptions.of(host).withPassword(cluster.password());
            try (var store = ValkeyStore.open(one)) {
                // So many that each node has some.
                for (int i = 0; i < 12; i++) {
                    works(store, new Namespace("tenant-" + i));
                }
            }
            refused(
                    ValkeyOptions.of(host + "/3").withPassword(cluster.password()),
                    "has no numbered databases");
        }
    }

    private static ValkeyOptions options() {
        return ValkeyOptions.of(SERVER.url()).withPassword(SERVER.password());
    }

    private static void refused(ValkeyOptions options, String why) {
        assertThatThrownBy(() -> ValkeyStore.open(options))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining(why);
    }

    private static void works(ValkeyStore store) {
        works(store, Namespace.DEFAULT);
    }

    private static void works(ValkeyStore store, Namespace namespace) {
        var one = Submission.of("greet", Payload.text("Ada")).lane(new Lane(namespace, "default"));
        store.submissions().submit(List.of(one)).getFirst().orThrow();

        assertThat(store.queries().describe(List.of(one.id())).getFirst().orThrow().id())
                .isEqualTo(one.id());
    }

    static RedisClient client(EmbeddedRedis server, int node) {
        var address = RedisURI.create("127.0.0.1", server.port(node));
        var login = RedisCredentials.just(null, server.password().toCharArray());
        address.setCredentialsProvider(RedisCredentialsProvider.from(() -> login));
        return RedisClient.create(address);
    }
}
