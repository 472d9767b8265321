package io.flowfabric.valkey;

import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.valkey.internal.wire.KeySpace;
import io.flowfabric.valkey.internal.wire.LettuceWire;
import io.flowfabric.valkey.internal.wire.ServerAddress;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;

import java.nio.file.Path;
import java.time.Duration;

/** The server that all tests of this module share. */
final class TestRedis {
    private static final EmbeddedRedis SERVER = EmbeddedRedis.start(Path.of("target/test-redis"));

    private TestRedis() {}

    static LettuceWire wire(KeySpace keys) {
        return new LettuceWire(
                ServerAddress.parse(SERVER.url()),
                null,
                SERVER.password(),
                keys,
                Duration.ofSeconds(10),
                Duration.ofSeconds(5));
    }

    /** Where a test looks past the store. */
    static RedisURI address() {
        var uri = RedisURI.create("127.0.0.1", SERVER.port(0));
        var login = RedisCredentials.just(null, SERVER.password().toCharArray());
        uri.setCredentialsProvider(RedisCredentialsProvider.from(() -> login));
        return uri;
    }
}
