package io.flowfabric.faults;

import io.flowfabric.core.Payload;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.worker.Worker;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A program that submits more than it can run, holds on to a thousand executions while all the
 * others wait, then lets go and works on for a while. It says how much memory it needs.
 */
final class SmallHeapProgram {
    static final int SUBMITTED = 101_000;
    static final int RUNNING = 1_000;

    /** How many it ends before it stops. */
    static final int ENDED = 3_000;

    /** Nothing here is about how long it takes. */
    static final Duration PATIENCE = Duration.ofMinutes(3);

    private SmallHeapProgram() {}

    /** Takes URL, user and schema. */
    public static void main(String... words) throws IOException {
        var options = DatabaseOptions.of(words[0], words[1], Child.password());
        var go = new CountDownLatch(1);
        var running = new AtomicInteger();
        var ended = new AtomicInteger();
        try (var store = PostgresStore.open(options, new SchemaName(words[2]));
                var engine = new Engine(store)) {
            engine.start();
            engine.submissions().submit(FaultScenario.work(SUBMITTED));
            say("submitted");
            var worker =
                    Worker.on(engine)
                            .lane(FaultScenario.LANE.name())
                            .concurrency(RUNNING)
                            .handle(
                                    FaultScenario.KIND,
                                    task -> {
                                        running.incrementAndGet();
                                        go.await();
                                        ended.incrementAndGet();
                                        return Payload.text("done");
                                    })
                            .start();
            Waiting.until("all slots are taken", PATIENCE, () -> running.get() == RUNNING);
            say("running " + usedMiB());
            // Until the test has looked at it.
            if (System.in.read() < 0) {
                return;
            }
            go.countDown();
            Waiting.until("it goes on", PATIENCE, () -> ended.get() >= ENDED);
            say("ended " + usedMiB());
            worker.stop(Duration.ofSeconds(20));
        }
        say("stopped");
    }

    /** What cannot be collected. */
    private static long usedMiB() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() >> 20;
    }

    private static void say(String line) {
        System.out.println(line);
    }
}
