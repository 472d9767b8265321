package io.flowfabric.postgres;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;

/**
 * One Postgres for all tests of a JVM that do not care about crashes: without durability, and so
 * faster; or the one that the environment names.
 */
final class TestServer {
    private static final ServerLogin SERVER =
            ServerLogin.fromEnvironment().orElseGet(TestServer::start);

    private TestServer() {}

    static ServerLogin get() {
        return SERVER;
    }

    private static ServerLogin start() {
        return ServerLogin.of(
                EmbeddedPostgres.start(
                        Path.of("target", "test-server").toAbsolutePath(),
                        EmbeddedOptions.DEFAULT
                                .withoutDurability()
                                .withBinaries(TestPostgres.BINARIES)
                                .withSetting("max_connections", "200")));
    }
}
