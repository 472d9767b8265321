package io.flowfabric.embedded;

import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.ShutdownOrder;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * A Redis that this process started and owns, in one folder: one node, or a cluster of them.
 *
 * <p>It listens on 127.0.0.1 only. A process that is killed leaves its servers running; the next
 * start of that home stops them first, and finds everything that was acknowledged. Two owners of
 * one home are impossible: the second is refused and told where the first one is. A JVM that is
 * told to end stops it last, after the engines that work with it.
 */
public final class EmbeddedRedis implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(EmbeddedRedis.class);

    private final Path home;
    private final Ownership ownership;
    private final List<RedisNode> nodes;
    private final String password;
    private final Thread shutdownHook =
            new Thread(this::stopLast, "flowfabric-embedded-redis-stop");
    private boolean closed;

    private EmbeddedRedis(Path home, Ownership ownership, List<RedisNode> nodes, String password) {
        this.home = home;
        this.ownership = ownership;
        this.nodes = List.copyOf(nodes);
        this.password = password;
    }

    /** Starts a durable node on a free port. */
    public static EmbeddedRedis start(Path home) {
        return start(home, RedisOptions.DEFAULT);
    }

    /**
     * Starts one node and waits until it answers.
     *
     * @param home where everything is kept; made when it is not there
     * @throws Unavailable when there is no Redis for this platform, another process owns the home,
     *     or the server does not start
     */
    public static EmbeddedRedis start(Path home, RedisOptions options) {
        return start(home, options, RedisTopology.ONE_NODE);
    }

    /**
     * Starts a cluster and waits until it serves every slot.
     *
     * @param primaries how many nodes share the slots, three at least
     * @param replicas how many copies each of them has
     * @throws Unavailable as for one node
     */
    public static EmbeddedRedis startCluster(
            Path home, int primaries, int replicas, RedisOptions options) {
        return start(home, options, RedisTopology.cluster(primaries, replicas));
    }

    /** For a store: all nodes; the login is not part of it. */
    public String url() {
        return nodes.stream()
                .map(node -> "127.0.0.1:" + node.port())
                .collect(Collectors.joining(",", "redis://", ""));
    }

    /** The password of its default user, as it lies in the home, readable by its owner alone. */
    public String password() {
        return password;
    }

    /** How many nodes it has: the primaries of a cluster come first. */
    public int nodes() {
        return nodes.size();
    }

    /** Where a node listens on 127.0.0.1. */
    public int port(int node) {
        return nodes.get(node).port();
    }

    /** The process of a node, if it runs: for tests that freeze it. */
    public ProcessHandle process(int node) {
        return attempt(
                "be found",
                () ->
                        nodes.get(node)
                                .process()
                                .orElseThrow(() -> new IOException("It does not run.")));
    }

    /**
     * Sends a command to a node, past every store: for tests that look behind one, or disturb it.
     *
     * @return the answer, a line for each of several
     * @throws Unavailable when the node cannot be reached, or refuses it
     */
    public String ask(int node, String... words) {
        return attempt(
                "do " + words[0],
                () -> {
                    try (var wire = nodes.get(node).connect()) {
                        return wire.ask(words);
                    }
                });
    }

    /** Ends a node as a crash would. */
    public void kill(int node) {
        attempt(
                "be ended",
                () -> {
                    nodes.get(node).kill();
                    return node;
                });
    }

    /** Starts a node again that was ended, with what it had written. */
    public void restart(int node) {
        attempt(
                "be started again",
                () -> {
                    nodes.get(node).stop();
                    nodes.get(node).start();
                    return node;
                });
    }

    /** Stops all servers and gives up the home. Closing again does nothing. */
    @Override
    public void close() {
        try {
            Runtime.getRuntime().removeShutdownHook(shutdownHook);
        } catch (IllegalStateException e) {
            // The JVM is shutting down, and the hook is at work or waits for us below.
        }
        stop();
    }

    /** In the hook of the JVM: first ends what in this process works with it. */
    private void stopLast() {
        ShutdownOrder.endUsersOfServers();
        stop();
    }

    private synchronized void stop() {
        if (closed) {
            return;
        }
        closed = true;
        try (ownership) {
            stopAll(nodes);
        } catch (IOException e) {
            log.warn("The embedded Redis in {} did not stop properly", home, e);
        }
    }

    private static EmbeddedRedis start(Path home, RedisOptions options, RedisTopology topology) {
        try {
            Folders.createPrivate(home);
            var real = home.toRealPath();
            var ownership = Ownership.take("Redis", real);
            boolean started = false;
            try {
                var redis = start(real, options, topology, ownership);
                started = true;
                return redis;
            } finally {
                if (!started) {
                    ownership.close();
                }
            }
        } catch (IOException e) {
            throw unavailable("in %s cannot be started".formatted(home), e);
        }
    }

    private static EmbeddedRedis start(
            Path home, RedisOptions options, RedisTopology topology, Ownership ownership)
            throws IOException {
        var binaries =
                Binaries.unpack(
                        "redis",
                        Platform.current().redis(),
                        Binaries.folder(options.binaries(), home));
        if (!Password.exists(home)) {
            Password.create(home);
        }
        var password = Password.read(home);
        var nodes = new ArrayList<RedisNode>();
        int n = 0;
        for (int port : topology.ports(home, options.port())) {
            var folder = home.resolve("node-" + ++n);
            nodes.add(
                    new RedisNode(
                            folder,
                            binaries.program("redis-server"),
                            port,
                            password,
                            options,
                            topology.isCluster()));
        }
        boolean started = false;
        try {
            for (var node : nodes) {
                node.clear();
                node.start();
            }
            topology.join(nodes, options.timeout());
            started = true;
        } finally {
            if (!started) {
                stopAll(nodes);
            }
        }
        var redis = new EmbeddedRedis(home, ownership, nodes, password);
        ownership.publish(redis.url());
        Runtime.getRuntime().addShutdownHook(redis.shutdownHook);
        log.info("Redis serves {} at {}", home, redis.url());
        return redis;
    }

    private static void stopAll(List<RedisNode> nodes) throws IOException {
        for (var node : nodes) {
            node.stop();
        }
    }

    /** Something that is done to a node. */
    private interface Act<T> {
        T run() throws IOException;
    }

    private <T> T attempt(String what, Act<T> act) {
        try {
            return act.run();
        } catch (IOException e) {
            throw unavailable("in %s cannot %s".formatted(home, what), e);
        }
    }

    private static Unavailable unavailable(String what, IOException cause) {
        var unavailable =
                new Unavailable("The embedded Redis %s: %s".formatted(what, cause.getMessage()));
        unavailable.initCause(cause);
        return unavailable;
    }
}
