package io.flowfabric.valkey.internal;

import io.flowfabric.core.Unavailable;
import io.flowfabric.valkey.internal.wire.ServerFacts;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Looks at the servers before they are used: refuses those that would lose work, and says how safe
 * it is.
 */
public final class StartCheck {
    private static final Logger log = LoggerFactory.getLogger(StartCheck.class);

    /** The first major version of Redis with functions; Valkey says to be a Redis of 7.2. */
    private static final int OLDEST = 7;

    private final List<ServerFacts> servers;
    private final int replicas;

    /** What becomes of what was acknowledged when a server crashes; the worst comes last. */
    public enum Durability {
        SAFE("Every acknowledged call is on the disk (appendfsync always)."),
        A_SECOND(
                "A crash can lose what was acknowledged in the last second (appendfsync everysec):"
                        + " set appendfsync always where that must not be."),
        UNKNOWN(
                "The server does not say when what it acknowledges is on its disk: ask those who"
                        + " run it for appendonly yes and appendfsync always."),
        HALF_A_MINUTE(
                "A crash can lose what the operating system has not written yet, half a minute and"
                        + " more (appendfsync no): set appendfsync always."),
        NONE(
                "A crash or a restart can lose everything since the last snapshot, if there is one"
                        + " (appendonly no): set appendonly yes and appendfsync always.");

        private final String sentence;

        /**
         * @param sentence what can be lost, and what to do
         */
        Durability(String sentence) {
            this.sentence = sentence;
        }
    }

    /**
     * @param servers all that keep data
     * @param replicas how many must have what is acknowledged
     */
    public StartCheck(List<ServerFacts> servers, int replicas) {
        this.servers = List.copyOf(servers);
        this.replicas = replicas;
    }

    /**
     * Logs one line.
     *
     * @throws Unavailable when a server must not be used as it is
     */
    public void pass() {
        servers.forEach(StartCheck::refuse);
        if (durability() == Durability.SAFE) {
            log.info("{}", summary());
        } else {
            log.warn("{}", summary());
        }
    }

    private static void refuse(ServerFacts server) {
        server.told("redis_version")
                .filter(version -> major(version) < OLDEST)
                .ifPresent(
                        version -> {
                            throw new Unavailable(
                                    ("%s runs version %s, which has no functions: Redis 7.0 or"
                                                    + " Valkey 7.2 is the oldest that will do.")
                                            .formatted(server.name(), version));
                        });
        server.told("maxmemory_policy")
                .filter(policy -> !policy.equals("noeviction"))
                .ifPresent(
                        policy -> {
                            throw new Unavailable(
                                    ("%s evicts keys when its memory is full (maxmemory-policy %s),"
                                                    + " and work with them: set maxmemory-policy"
                                                    + " noeviction.")
                                            .formatted(server.name(), policy));
                        });
        if (!server.isCluster() && server.told("role").equals(Optional.of("slave"))) {
            throw new Unavailable(
                    "%s is a replica of %s:%s and takes no writes: give the URL of the primary."
                            .formatted(
                                    server.name(),
                                    server.told("master_host").orElse("?"),
                                    server.told("master_port").orElse("?")));
        }
    }

    /** That of the server with the worst. */
    public Durability durability() {
        return servers.stream()
                .map(StartCheck::durability)
                .max(Comparator.naturalOrder())
                .orElse(Durability.UNKNOWN);
    }

    private static Durability durability(ServerFacts server) {
        if (server.told("aof_enabled").equals(Optional.of("0"))) {
            return Durability.NONE;
        }
        if (server.told("aof_enabled").isEmpty()) {
            return Durability.UNKNOWN;
        }
        return switch (server.appendFsync().orElse("")) {
            case "always" -> Durability.SAFE;
            case "everysec" -> Durability.A_SECOND;
            case "no" -> Durability.HALF_A_MINUTE;
            default -> Durability.UNKNOWN;
        };
    }

    /** Everything in one line. */
    public String summary() {
        return "%s. %s%s".formatted(who(), durability().sentence, replication());
    }

    private String who() {
        var places = servers.stream().map(ServerFacts::name).collect(Collectors.joining(", "));
        var versions =
                servers.stream()
                        .map(StartCheck::version)
                        .distinct()
                        .sorted()
                        .collect(Collectors.joining(" and "));
        boolean cluster = servers.stream().anyMatch(ServerFacts::isCluster);
        return cluster
                ? "%s, a cluster with its primaries at %s".formatted(versions, places)
                : "%s at %s".formatted(versions, places);
    }

    private static String version(ServerFacts server) {
        return server.told("valkey_version")
                .map("Valkey "::concat)
                .or(() -> server.told("redis_version").map("Redis "::concat))
                .orElse("A server of a version that it does not tell");
    }

    /** What a replica that takes over may lack. */
    private String replication() {
        boolean any =
                servers.stream()
                        .flatMap(server -> server.told("connected_slaves").stream())
                        .anyMatch(count -> !count.equals("0"));
        if (replicas > 0) {
            return " A call is answered once %d replicas have it.".formatted(replicas);
        }
        return any
                ? " A replica that takes over may lack the last calls: see"
                        + " ValkeyOptions.withReplicas."
                : "";
    }

    /** A version that is written in another way is not refused for it. */
    private static int major(String version) {
        var digits = version.split("\\.", 2)[0];
        return digits.matches("\\d{1,4}") ? Integer.parseInt(digits) : OLDEST;
    }
}
