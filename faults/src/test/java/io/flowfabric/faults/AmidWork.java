package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.worker.Task;

import java.time.Duration;

/**
 * Work that goes on while a test breaks something: submitters, a worker in this process and one in
 * a process of its own.
 */
final class AmidWork implements AutoCloseable {
    private static final Duration TTL = Duration.ofSeconds(3);
    private static final int MORE = 150;

    private final FaultScenario world;
    private final Load load;
    private long completed;

    AmidWork(FaultScenario world) {
        this.world = world;
        world.start(
                FaultScenario.worker(world.engine())
                        .ttl(TTL)
                        .concurrency(8)
                        .handle(FaultScenario.KIND, AmidWork::work));
        world.process("other", TTL, 8).awaitReady();
        this.load = Load.on(world.watched(), 3, 5, Duration.ofMillis(20));
    }

    private static Payload work(Task task) {
        task.progress(50, "half");
        Waiting.pause(Duration.ofMillis(5));
        return Payload.text("here " + task.fence());
    }

    /** Waits until a good deal more was done than by now. */
    void goesOn() {
        long before = completed();
        Waiting.until("work goes on", () -> completed() > before + MORE);
    }

    /** How much is done, or was when the store was last there. */
    private long completed() {
        try {
            completed = world.counts().getOrDefault(PublicState.COMPLETED, 0L);
        } catch (FlowFabricException e) {
            // It is away.
        }
        return completed;
    }

    /** Lets the submitters end, and all work; then everything must have been done once. */
    void judge() throws Exception {
        judge(0);
    }

    /**
     * Lets the submitters end, and all work; then everything must have been done once.
     *
     * @param others how much a test has submitted itself
     */
    void judge(long others) throws Exception {
        long accepted = load.end() + others;
        world.judge();
        assertThat(world.counts()).containsExactly(entry(PublicState.COMPLETED, accepted));
    }

    @Override
    public void close() {
        load.close();
    }
}
