package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.worker.Task;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.time.Duration;

/** A server that is killed with SIGKILL amid work, and started again. */
class KilledServerTest {
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final int KILLS = 3;

    @TempDir Path home;

    @ParameterizedTest
    @EnumSource(StoreKind.class)
    void what_was_acknowledged_stands_and_everybody_goes_on(StoreKind store) throws Exception {
        try (var server = store.killable(home);
                var world = new FaultScenario(server.freshPlace());
                var load = Load.on(world.watched(), 4, 5, Duration.ofMillis(20))) {
            world.start(
                    FaultScenario.worker(world.engine())
                            .ttl(TTL)
                            .handle(FaultScenario.KIND, KilledServerTest::work));
            world.process("other", TTL, 8).awaitReady();

            for (int i = 0; i < KILLS; i++) {
                long before = load.accepted();
                Waiting.until("work goes on", () -> load.accepted() > before + 200);
                server.kill();
                server.restart();
            }
            long before = load.accepted();
            Waiting.until("work goes on", () -> load.accepted() > before + 200);

            long accepted = load.end();
            world.judge();
            assertThat(world.counts()).containsExactly(entry(PublicState.COMPLETED, accepted));
        }
    }

    private static Payload work(Task task) {
        Waiting.pause(Duration.ofMillis(5));
        return Payload.text("here " + task.fence());
    }
}
