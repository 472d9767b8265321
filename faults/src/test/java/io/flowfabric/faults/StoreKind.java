package io.flowfabric.faults;

import java.nio.file.Path;

/** The stores that a scenario can run on. */
enum StoreKind {
    POSTGRES {
        @Override
        FaultScenario scenario() {
            return new FaultScenario();
        }

        @Override
        KillableServer killable(Path home) {
            return new CrashingServer(home);
        }

        @Override
        SoakServer toSoak(Path home) {
            return new SoakPostgres(home);
        }
    },
    VALKEY {
        @Override
        FaultScenario scenario() {
            return new FaultScenario(RedisServers.shared());
        }

        @Override
        KillableServer killable(Path home) {
            return new CrashingRedis(home);
        }

        @Override
        SoakServer toSoak(Path home) {
            return new SoakRedis(home);
        }
    };

    /** On the server that nobody kills. */
    abstract FaultScenario scenario();

    /** A server of a test's own. */
    abstract KillableServer killable(Path home);

    /** A server with a store on it, for a soak. */
    abstract SoakServer toSoak(Path home);

    /**
     * The one that a word names.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static StoreKind of(String word) {
        return switch (word) {
            case "postgres" -> POSTGRES;
            case "valkey" -> VALKEY;
            default ->
                    throw new IllegalArgumentException(
                            "--store takes postgres or valkey, and not '%s'.".formatted(word));
        };
    }
}
