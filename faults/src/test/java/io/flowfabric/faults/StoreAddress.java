package io.flowfabric.faults;

import io.flowfabric.core.store.Store;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.valkey.ValkeyOptions;
import io.flowfabric.valkey.ValkeyStore;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Where a store is, in words that another process can be given. Its URL says which store it is, so
 * that one scenario runs on either.
 *
 * @param user of Postgres; of a Redis how many replicas have what is acknowledged, if any must
 * @param place the schema, or what all keys begin with
 * @param password which is never among the words
 */
record StoreAddress(String url, String user, String place, String password) {
    /** How many words {@link #words} are. */
    static final int WORDS = 3;

    /** It tells of every connection that is broken here on purpose; kept, or it is forgotten. */
    private static final Logger CHATTER = Logger.getLogger("io.lettuce");

    static {
        CHATTER.setLevel(Level.OFF);
    }

    private static final Duration COPYING = Duration.ofSeconds(2);

    private static final int CONNECTIONS_OF_A_PROCESS = 4;

    static StoreAddress of(DatabaseOptions options, SchemaName schema) {
        return new StoreAddress(
                options.url(),
                Objects.requireNonNull(options.user()),
                schema.text(),
                Objects.requireNonNull(options.password()));
    }

    /** A place on a Redis that nothing else uses. */
    static StoreAddress fresh(EmbeddedRedis server) {
        return new StoreAddress(
                server.url(), "", "faults-" + UUID.randomUUID() + ":", server.password());
    }

    /** The same place, where a replica has everything that is acknowledged. */
    StoreAddress copied() {
        return new StoreAddress(url, "1", place, password);
    }

    /** In another process: what {@link #words} said, and the password that it was given beside. */
    static StoreAddress parse(List<String> words) {
        return new StoreAddress(words.get(0), words.get(1), words.get(2), Child.password());
    }

    List<String> words() {
        return List.of(url, user, place);
    }

    /** The same store, reached by another port of this machine. */
    StoreAddress through(int port, CuttingProxy proxy) {
        return new StoreAddress(url.replace(":" + port, ":" + proxy.port()), user, place, password);
    }

    /** Opens it, as a test does that looks and submits. */
    Store open() {
        return isPostgres()
                ? PostgresStore.open(database(), new SchemaName(place))
                : ValkeyStore.open(valkey());
    }

    /**
     * Opens it, as one of several processes does.
     *
     * @param process by which the server can tell its connections from others
     */
    Store open(String process) {
        return isPostgres()
                ? PostgresStore.open(
                        database()
                                .withConnections(CONNECTIONS_OF_A_PROCESS)
                                .withApplicationName(WorkerProgram.applicationName(process)),
                        new SchemaName(place))
                : ValkeyStore.open(valkey());
    }

    private boolean isPostgres() {
        return url.startsWith("jdbc:");
    }

    private DatabaseOptions database() {
        return DatabaseOptions.of(url, user, password);
    }

    private ValkeyOptions valkey() {
        var options = ValkeyOptions.of(url).withPassword(password).withPrefix(place);
        return user.isEmpty() ? options : options.withReplicas(Integer.parseInt(user), COPYING);
    }
}
