package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Advice;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.embedded.EmbeddedRedis;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;

/** A Redis whose memory is full, and that forgets nothing for it. */
class FullMemoryTest {
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final int HELD = 8;

    /** What was taken beside the work of submitters. */
    private int others = HELD;

    @TempDir Path home;

    @Test
    void what_has_begun_is_finished_and_nothing_begins_until_there_is_room() throws Exception {
        try (var server = EmbeddedRedis.start(home, RedisServers.embedded());
                var world = new FaultScenario(server)) {
            var held =
                    FaultScenario.submit(
                            world.watched(),
                            FaultScenario.work(WorkerProgram.HOLD, HELD, Policy.DEFAULT));
            var holder = world.process("holder", TTL, HELD).awaitReady();
            Waiting.until("it works on all", () -> holder.begun().size() == HELD);
            try (var work = new AmidWork(world)) {
                work.goesOn();
                var full = RedisServers.info(server, 0, "used_memory");
                server.ask(0, "CONFIG", "SET", "maxmemory", full);

                assertThat(refusal(world))
                        .hasMessageContaining("no memory left")
                        .hasMessageContaining("raise its maxmemory")
                        .matches(refused -> refused.advice() == Advice.REPEAT_LATER)
                        .matches(refused -> !refused.mayHaveApplied());
                holder.go();
                Waiting.until(
                        "what has begun is finished",
                        () -> held.stream().allMatch(id -> isCompleted(world, id)));
                assertThat(refusal(world)).isNotNull();

                server.ask(0, "CONFIG", "SET", "maxmemory", "0");
                work.goesOn();
                work.judge(others);
            }
        }
    }

    /** Why nothing more is taken, as soon as that is so. */
    private StoreFailure refusal(FaultScenario world) {
        while (true) {
            try {
                world.watched().submissions().submit(FaultScenario.work(1));
                others++;
            } catch (StoreFailure e) {
                return e;
            }
        }
    }

    private static boolean isCompleted(FaultScenario world, ExecutionId id) {
        return world.view(id).state().publicState() == PublicState.COMPLETED;
    }
}
