package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.OperatorCommand;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;

/** R18: what one process cancels is interrupted in another, long before its next heartbeat. */
class CancelledElsewhereTest {
    private static final Duration TTL = Duration.ofMinutes(2);
    private static final Duration HEARTBEATS = TTL.dividedBy(6);

    private final FaultScenario world = new FaultScenario();
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void a_handler_is_interrupted_when_another_process_cancels_its_work() {
        var begun = new AtomicBoolean();
        var interrupted = new AtomicBoolean();
        world.start(
                FaultScenario.worker(world.engine())
                        .ttl(TTL)
                        .handle(
                                FaultScenario.KIND,
                                task -> {
                                    begun.set(true);
                                    try {
                                        go.await();
                                    } catch (InterruptedException stop) {
                                        interrupted.set(true);
                                        throw stop;
                                    }
                                    return Payload.EMPTY;
                                }));
        // Connections and listeners of its own: for the worker this is another process.
        var other = world.another(world.options());
        var id = world.submit(1).getFirst();
        Waiting.until("it runs", begun::get);

        other.operations()
                .act(List.of(new OperatorCommand.Cancel(id)), new Attribution("ada", "a test"))
                .forEach(answer -> answer.orThrow());

        Waiting.until("it is interrupted", HEARTBEATS.dividedBy(4), interrupted::get);
        assertThat(world.view(id).state().publicState()).isEqualTo(PublicState.CANCELLED);
    }
}
