package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.embedded.EmbeddedRedis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A namespace that is spread over a Redis cluster, amid whose work workers, engines and nodes are
 * killed with SIGKILL.
 */
class SpreadUnderFireTest {
    /** More partitions than there are nodes, so that each of them has some. */
    private static final int PARTITIONS = 12;

    private static final Duration TTL = Duration.ofSeconds(2);
    private static final int KILLS = 6;

    @TempDir Path home;

    private static FaultScenario spread(StoreAddress address) {
        return FaultScenario.spread(address, PARTITIONS);
    }

    @Test
    void all_work_ends_once_although_workers_and_engines_are_killed() {
        var random = new Random(5);
        // What fails at first waits for an engine that notices when its time has come.
        var retried =
                Policy.DEFAULT.retry(
                        Retry.retries(3).backoff(Backoff.fixed(Duration.ofMillis(200))));
        try (var cluster = RedisServers.cluster(home, 0);
                var world = spread(StoreAddress.fresh(cluster))) {
            var ids = new ArrayList<ExecutionId>();
            var workers = new ArrayList<WorkerProcess>();
            for (int i = 0; i < 2; i++) {
                workers.add(world.process("worker-" + i, TTL, 6).awaitReady());
            }
            for (int i = 0; i < KILLS; i++) {
                var engine = world.process("engine-" + i, TTL, 1, 0).awaitReady();
                ids.addAll(world.submit(100));
                var frail = FaultScenario.work(WorkerProgram.FRAIL, 50, retried);
                ids.addAll(FaultScenario.submit(world.watched(), frail));
                Waiting.pause(Duration.ofMillis(50 + random.nextInt(200)));
                engine.kill();
                workers.remove(random.nextInt(workers.size())).kill();
                workers.add(world.process("successor-" + i, TTL, 6).awaitReady());
            }

            world.judge();
            assertThat(ids.stream().filter(id -> !world.steps(id, Transition.RECLAIM).isEmpty()))
                    .as("work that a killed worker held, and another one took over")
                    .hasSizeGreaterThan(KILLS);
            assertThat(ids.stream().filter(id -> !world.steps(id, Transition.RETRY).isEmpty()))
                    .as("work that was tried again")
                    .hasSizeGreaterThan(KILLS);
        }
    }

    @Test
    void work_goes_on_once_a_node_is_back() throws Exception {
        try (var cluster = RedisServers.cluster(home, 0);
                var world = spread(StoreAddress.fresh(cluster));
                var work = new AmidWork(world)) {
            // One of them has the main partition, by which lives of sessions are told.
            for (int node = 0; node < cluster.nodes(); node++) {
                work.goesOn();
                cluster.kill(node);
                cluster.restart(node);
            }

            work.goesOn();
            work.judge();
        }
    }

    @Test
    void work_goes_on_once_a_replica_has_taken_over_for_a_node() throws Exception {
        try (var cluster = RedisServers.cluster(home, 1);
                var world = spread(StoreAddress.fresh(cluster).copied());
                var work = new AmidWork(world)) {
            work.goesOn();
            cluster.kill(RedisServers.nodeOfWork());
            Waiting.until("a replica has taken over", () -> isAnyReplicaPrimary(cluster));
            // What is acknowledged has to be copied again.
            cluster.restart(RedisServers.nodeOfWork());

            work.goesOn();
            work.judge();
        }
    }

    private static boolean isAnyReplicaPrimary(EmbeddedRedis cluster) {
        return IntStream.range(cluster.nodes() / 2, cluster.nodes())
                .anyMatch(node -> RedisServers.info(cluster, node, "role").equals("master"));
    }
}
