package io.flowfabric;

import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Store;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;

import java.nio.file.Path;

/** A Postgres of the program's own, where the dependency for it is there. */
final class EmbeddedServer implements AutoCloseable {
    private final EmbeddedPostgres server;

    private EmbeddedServer(EmbeddedPostgres server) {
        this.server = server;
    }

    static EmbeddedServer start(Path home) {
        try {
            return new EmbeddedServer(EmbeddedPostgres.start(home));
        } catch (NoClassDefFoundError missing) {
            var unavailable =
                    new Unavailable(
                            "Nothing on the class path starts a Postgres: add the dependency"
                                    + " io.flowfabric:flowfabric-embedded, or connect to one with"
                                    + " FlowFabric.connect(url).");
            unavailable.initCause(missing);
            throw unavailable;
        }
    }

    Store store() {
        return PostgresStore.open(
                DatabaseOptions.of(server.url(), server.user(), server.password()));
    }

    @Override
    public void close() {
        server.close();
    }
}
