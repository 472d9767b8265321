package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.nio.file.Path;

/** The one Postgres and the one fabric of all tests, which stop with the JVM. */
final class SharedDatabase {
    static final DatabaseLogin LOGIN =
            DatabaseLogin.of(
                    EmbeddedPostgres.start(
                            Path.of("target", "embedded")
                                    .resolve(ProcessHandle.current().pid() + ""),
                            EmbeddedOptions.DEFAULT.withoutDurability()));

    static final FlowFabric FABRIC = LOGIN.fabric();

    private SharedDatabase() {}
}
