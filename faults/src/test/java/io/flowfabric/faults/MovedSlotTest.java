package io.flowfabric.faults;

import io.flowfabric.embedded.EmbeddedRedis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A Redis cluster whose slot with all the work is moved from node to node amid it. */
class MovedSlotTest {
    private static final String SLOT = Integer.toString(RedisServers.slotOfWork());
    private static final int MOVES = 4;
    private static final String AT_ONCE = "3";
    private static final String PATIENCE_MILLIS = "5000";

    @TempDir Path home;

    @Test
    void work_goes_on_wherever_its_slot_is_moved() throws Exception {
        try (var cluster = RedisServers.cluster(home, 0);
                var world = new FaultScenario(cluster);
                var work = new AmidWork(world)) {
            int at = RedisServers.nodeOfWork();
            for (int i = 0; i < MOVES; i++) {
                work.goesOn();
                int next = (at + 1) % cluster.nodes();
                move(cluster, at, next);
                at = next;
            }

            work.goesOn();
            work.judge();
        }
    }

    /** As an operator's tool does it: key by key, while both answer. */
    private static void move(EmbeddedRedis cluster, int from, int to) {
        var ids =
                IntStream.range(0, cluster.nodes())
                        .mapToObj(node -> cluster.ask(node, "CLUSTER", "MYID"))
                        .toList();
        cluster.ask(to, "CLUSTER", "SETSLOT", SLOT, "IMPORTING", ids.get(from));
        cluster.ask(from, "CLUSTER", "SETSLOT", SLOT, "MIGRATING", ids.get(to));
        for (var keys = keys(cluster, from); !keys.isEmpty(); keys = keys(cluster, from)) {
            var words =
                    List.of(
                            "MIGRATE",
                            "127.0.0.1",
                            Integer.toString(cluster.port(to)),
                            "",
                            "0",
                            PATIENCE_MILLIS,
                            "AUTH",
                            cluster.password(),
                            "KEYS");
            cluster.ask(from, Stream.concat(words.stream(), keys.stream()).toArray(String[]::new));
        }
        for (int node : List.of(to, from)) {
            cluster.ask(node, "CLUSTER", "SETSLOT", SLOT, "NODE", ids.get(to));
        }
    }

    private static List<String> keys(EmbeddedRedis cluster, int node) {
        return cluster.ask(node, "CLUSTER", "GETKEYSINSLOT", SLOT, AT_ONCE).lines().toList();
    }
}
