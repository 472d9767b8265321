package io.flowfabric.valkey;

import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.embedded.RedisOptions.Flush;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.LettuceWire;
import io.flowfabric.valkey.internal.wire.ServerAddress;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanIterator;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.sync.RedisClusterCommands;
import io.lettuce.core.codec.ByteArrayCodec;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A server, or a cluster, that tests of this module share; or the one that the environment names.
 */
final class TestRedis {
    /** What the keys of all tests begin with. */
    private static final String PREFIX = "flowfabric-test-";

    private static final Path HOME = Path.of("target", "test-redis").toAbsolutePath();
    private static final RedisOptions OPTIONS =
            RedisOptions.DEFAULT.withFlush(Flush.SELDOM).withBinaries(HOME.resolve("binaries"));

    private final ServerAddress address;
    private final @Nullable String user;
    private final @Nullable String password;
    private final RedisClusterCommands<byte[], byte[]> direct;

    private TestRedis(String url, @Nullable String user, @Nullable String password) {
        this.address = ServerAddress.parse(url);
        this.user = user;
        this.password = password;
        this.direct = connect();
        // What an earlier run left.
        forget("");
    }

    /** Started by the first test that needs it. */
    private static final class OneNode {
        static final TestRedis SERVER =
                named(false).orElseGet(() -> of(EmbeddedRedis.start(HOME.resolve("one"), OPTIONS)));
    }

    /** Started by the first test that needs it. */
    private static final class Cluster {
        static final TestRedis SERVER =
                named(true)
                        .orElseGet(
                                () ->
                                        of(
                                                EmbeddedRedis.startCluster(
                                                        HOME.resolve("cluster"), 3, 0, OPTIONS)));
    }

    static TestRedis oneNode() {
        return OneNode.SERVER;
    }

    static TestRedis cluster() {
        return Cluster.SERVER;
    }

    private static TestRedis of(EmbeddedRedis server) {
        return new TestRedis(server.url(), null, server.password());
    }

    /** What {@code FLOWFABRIC_TEST_URL}, {@code _USER} and {@code _PASSWORD} name. */
    private static Optional<TestRedis> named(boolean cluster) {
        return Optional.ofNullable(System.getenv("FLOWFABRIC_TEST_URL"))
                .filter(ServerAddress::isOne)
                .filter(url -> (ServerAddress.parse(url).hosts().size() > 1) == cluster)
                .map(
                        url ->
                                new TestRedis(
                                        url,
                                        System.getenv("FLOWFABRIC_TEST_USER"),
                                        System.getenv("FLOWFABRIC_TEST_PASSWORD")));
    }

    /**
     * The keys of a test.
     *
     * @param test no other test of this run has it
     */
    static KeySpace keys(String test) {
        return new KeySpace(PREFIX + test + ":");
    }

    LettuceWire wire(KeySpace keys) {
        return new LettuceWire(
                address, user, password, keys, Duration.ofSeconds(10), Duration.ofSeconds(5));
    }

    /** For tests that look past the store. */
    RedisClusterCommands<byte[], byte[]> direct() {
        return direct;
    }

    /**
     * Removes the keys of tests.
     *
     * @param tests what their names begin with
     */
    void forget(String tests) {
        var ours = ScanArgs.Builder.matches(PREFIX + tests + "*").limit(10_000);
        ScanIterator.scan(direct, ours).forEachRemaining(direct::unlink);
    }

    private RedisClusterCommands<byte[], byte[]> connect() {
        var nodes = address.hosts().stream().map(this::uri).toList();
        return nodes.size() == 1 ? connectTo(nodes.getFirst()) : connectTo(nodes);
    }

    private static RedisClusterCommands<byte[], byte[]> connectTo(RedisURI node) {
        return RedisClient.create(node).connect(ByteArrayCodec.INSTANCE).sync();
    }

    private static RedisClusterCommands<byte[], byte[]> connectTo(List<RedisURI> nodes) {
        return RedisClusterClient.create(nodes).connect(ByteArrayCodec.INSTANCE).sync();
    }

    private RedisURI uri(ServerAddress.Host host) {
        var uri = RedisURI.create(host.name(), host.port());
        uri.setSsl(address.tls());
        uri.setDatabase(address.database());
        Optional.ofNullable(password)
                .or(address::password)
                .ifPresent(
                        secret -> {
                            var login =
                                    RedisCredentials.just(
                                            Optional.ofNullable(user)
                                                    .or(address::user)
                                                    .orElse(null),
                                            secret.toCharArray());
                            uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> login));
                        });
        return uri;
    }
}
