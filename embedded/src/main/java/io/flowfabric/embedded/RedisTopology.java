package io.flowfabric.embedded;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How the nodes of an embedded Redis belong together.
 *
 * @param primaries how many nodes share the slots
 * @param replicas how many copies each of them has
 */
record RedisTopology(int primaries, int replicas) {
    static final RedisTopology ONE_NODE = new RedisTopology(1, 0);

    private static final int FEWEST_PRIMARIES = 3;
    private static final int MOST_NODES = 30;
    private static final int SLOTS = 16_384;

    /** The nodes of a cluster talk to each other at their port and so much. */
    private static final int BUS = 10_000;

    private static final int LAST_PORT = 65_535;
    private static final int PORTS_TO_TRY = 200;
    private static final byte[] LOCALHOST = {127, 0, 0, 1};
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(50);

    static RedisTopology cluster(int primaries, int replicas) {
        if (primaries < FEWEST_PRIMARIES || replicas < 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "primaries",
                    "A cluster has %d primaries at least.".formatted(FEWEST_PRIMARIES));
        }
        if (primaries * (1L + replicas) > MOST_NODES) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "replicas",
                    "An embedded cluster has %d nodes at most.".formatted(MOST_NODES));
        }
        return new RedisTopology(primaries, replicas);
    }

    boolean isCluster() {
        return primaries > 1;
    }

    private int size() {
        return primaries * (1 + replicas);
    }

    /**
     * Where the nodes listen. Those of a cluster know each other by their ports, so these stay as
     * they were when it was made.
     *
     * @param wanted of one node; 0 for a free one
     */
    List<Integer> ports(Path home, int wanted) throws IOException {
        if (!isCluster()) {
            return List.of(wanted == 0 ? freePort() : wanted);
        }
        var file = home.resolve("ports");
        if (Files.exists(file)) {
            var kept =
                    Stream.of(Files.readString(file).strip().split(" ", -1))
                            .map(Integer::valueOf)
                            .toList();
            if (kept.size() != size()) {
                throw new Unavailable(
                        "The cluster in %s has %d nodes, and %d were asked for: choose another home."
                                .formatted(home, kept.size(), size()));
            }
            return kept;
        }
        var ports = new ArrayList<Integer>();
        for (int tried = 0; ports.size() < size(); tried++) {
            int port = freePort();
            if (port + BUS <= LAST_PORT && isFree(port + BUS) && !ports.contains(port)) {
                ports.add(port);
            } else if (tried == PORTS_TO_TRY) {
                throw new Unavailable("There are not enough free ports below 55536 for a cluster.");
            }
        }
        Files.writeString(
                file, ports.stream().map(String::valueOf).collect(Collectors.joining(" ")));
        return List.copyOf(ports);
    }

    /** Makes nodes that were just started a cluster, unless they are one, and waits for it. */
    void join(List<RedisNode> nodes, Duration timeout) throws IOException {
        if (!isCluster()) {
            return;
        }
        long deadline = System.nanoTime() + timeout.toNanos();
        if (tell(nodes.getFirst(), "cluster_slots_assigned").equals("0")) {
            meet(nodes);
            await(nodes, deadline, "cluster_known_nodes", "" + size());
            replicate(nodes, deadline);
        }
        await(nodes, deadline, "cluster_slots_ok", "" + SLOTS);
        await(nodes, deadline, "cluster_state", "ok");
    }

    private void meet(List<RedisNode> nodes) throws IOException {
        for (int n = 0; n < nodes.size(); n++) {
            try (var wire = nodes.get(n).connect()) {
                if (n < primaries) {
                    wire.ask(
                            "CLUSTER",
                            "ADDSLOTSRANGE",
                            "" + n * SLOTS / primaries,
                            "" + ((n + 1) * SLOTS / primaries - 1));
                }
                wire.ask("CLUSTER", "SET-CONFIG-EPOCH", "" + (n + 1));
                if (n > 0) {
                    wire.ask("CLUSTER", "MEET", "127.0.0.1", "" + nodes.getFirst().port());
                }
            }
        }
    }

    private void replicate(List<RedisNode> nodes, long deadline) throws IOException {
        for (int n = primaries; n < nodes.size(); n++) {
            String primary;
            try (var wire = nodes.get(n % primaries).connect()) {
                primary = wire.ask("CLUSTER", "MYID");
            }
            while (true) {
                try (var wire = nodes.get(n).connect()) {
                    wire.ask("CLUSTER", "REPLICATE", primary);
                    break;
                } catch (IOException e) {
                    // It has heard of the node, and not yet that it has slots.
                    if (System.nanoTime() > deadline) {
                        throw e;
                    }
                    LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
                }
            }
        }
    }

    private static void await(List<RedisNode> nodes, long deadline, String field, String value)
            throws IOException {
        for (var node : nodes) {
            while (!tell(node, field).equals(value)) {
                if (System.nanoTime() > deadline) {
                    throw new IOException(
                            "Node at port %d does not say %s:%s."
                                    .formatted(node.port(), field, value));
                }
                LockSupport.parkNanos(BETWEEN_LOOKS.toNanos());
            }
        }
    }

    /** What a node knows of its cluster. */
    private static String tell(RedisNode node, String field) throws IOException {
        try (var wire = node.connect()) {
            return wire.ask("CLUSTER", "INFO")
                    .lines()
                    .filter(line -> line.startsWith(field + ":"))
                    .map(line -> line.substring(field.length() + 1).strip())
                    .findFirst()
                    .orElse("");
        }
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getByAddress(LOCALHOST))) {
            return socket.getLocalPort();
        }
    }

    /** Whether a server could listen there. */
    static boolean isFree(int port) {
        try (var socket = new ServerSocket(port, 1, InetAddress.getByAddress(LOCALHOST))) {
            return socket.getLocalPort() == port;
        } catch (IOException taken) {
            return false;
        }
    }
}
