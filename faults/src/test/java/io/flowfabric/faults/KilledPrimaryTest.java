package io.flowfabric.faults;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

/** The primary of a Redis cluster that has all the work, killed with SIGKILL amid it. */
class KilledPrimaryTest {
    private final int primary = RedisServers.nodeOfWork();

    @TempDir Path home;

    @Test
    void without_a_replica_work_goes_on_once_the_primary_is_back() throws Exception {
        try (var cluster = RedisServers.cluster(home, 0);
                var world = new FaultScenario(cluster);
                var work = new AmidWork(world)) {
            work.goesOn();
            cluster.kill(primary);
            cluster.restart(primary);

            work.goesOn();
            work.judge();
        }
    }

    @Test
    void a_replica_takes_over_and_work_goes_on_before_the_primary_is_back() throws Exception {
        try (var cluster = RedisServers.cluster(home, 1);
                var world = new FaultScenario(cluster);
                var work = new AmidWork(world)) {
            work.goesOn();
            cluster.kill(primary);

            work.goesOn();
            cluster.restart(primary);
            Waiting.until(
                    "the old primary follows the new one",
                    () -> RedisServers.info(cluster, primary, "role").equals("slave"));
            work.judge();
        }
    }
}
