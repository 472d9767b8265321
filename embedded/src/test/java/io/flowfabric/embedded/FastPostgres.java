package io.flowfabric.embedded;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Servers that start and stop fast, and connections to them. */
final class FastPostgres {
    /** Where the server is unpacked, once for all tests. */
    static final Path BINARIES =
            Path.of(System.getProperty("flowfabric.embedded.binaries", "target/embedded-binaries"))
                    .toAbsolutePath();

    private FastPostgres() {}

    static EmbeddedOptions fast() {
        return EmbeddedOptions.DEFAULT.withoutDurability().withBinaries(BINARIES);
    }

    static Connection connect(EmbeddedPostgres server) throws SQLException {
        return DriverManager.getConnection(server.url(), server.user(), server.password());
    }
}
