package io.flowfabric.postgres;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;

/**
 * One Postgres for all tests of a JVM that do not care about crashes: without durability, and so
 * faster.
 */
final class TestServer {
    private static final EmbeddedPostgres SERVER =
            EmbeddedPostgres.start(
                    Path.of("target", "test-server").toAbsolutePath(),
                    EmbeddedOptions.DEFAULT
                            .withoutDurability()
                            .withBinaries(TestPostgres.BINARIES)
                            .withSetting("max_connections", "200"));

    private TestServer() {}

    static EmbeddedPostgres get() {
        return SERVER;
    }
}
