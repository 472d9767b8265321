package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.UsageError;
import io.flowfabric.core.store.Store;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.valkey.ValkeyOptions;
import io.flowfabric.valkey.ValkeyStore;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which store a run is on: the only place where the two differ. */
public enum DevStore {
    POSTGRES("Postgres", ".flowfabric", "data") {
        @Override
        DevServer start(Path home) {
            return new DevPostgres(home);
        }

        @Override
        Store open(StoreLogin login, String who, int connections) {
            return PostgresStore.open(
                    DatabaseOptions.of(login.url(), login.user(), login.password())
                            .withApplicationName(who)
                            .withConnections(connections));
        }
    },
    /** With the Redis that is at hand everywhere. A process has one connection for everything. */
    VALKEY("Redis", ".flowfabric/valkey", "node-1") {
        @Override
        DevServer start(Path home) {
            return new DevRedis(home);
        }

        @Override
        Store open(StoreLogin login, String who, int connections) {
            return ValkeyStore.open(ValkeyOptions.of(login.url()).withPassword(login.password()));
        }
    };

    private final String server;
    private final Path home;
    private final String data;

    /**
     * @param server what the program that keeps the data is called
     * @param data what is in a home that was used before
     */
    DevStore(String server, String home, String data) {
        this.server = server;
        this.home = Path.of(home);
        this.data = data;
    }

    /**
     * The store that a word names.
     *
     * @throws UsageError when it names none
     */
    static DevStore called(String word) {
        return Stream.of(values())
                .filter(store -> store.word().equals(word))
                .findFirst()
                .orElseThrow(
                        () ->
                                new UsageError(
                                        "There is no store '%s'; there are %s."
                                                .formatted(word, words())));
    }

    /** All of them, as they are written on a command line. */
    static String words() {
        return Stream.of(values()).map(DevStore::word).collect(Collectors.joining(" and "));
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What the program that keeps the data is called. */
    String server() {
        return server;
    }

    /** Where it lives unless somebody says otherwise. */
    Path home() {
        return home;
    }

    /** Whether there is data of earlier runs. */
    boolean wasIn(Path folder) {
        return Files.exists(folder.resolve(data));
    }

    /** Starts a server, with what earlier runs left there. */
    abstract DevServer start(Path home);

    /**
     * Opens the store on a server.
     *
     * @param who opens it, for those who look at the connections of the server
     * @param connections how many it may have, where that is a choice
     */
    abstract Store open(StoreLogin login, String who, int connections);
}
