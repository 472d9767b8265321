package io.flowfabric.faults;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.worker.Worker;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/**
 * A program that submits many times as many bytes as it has memory, in one call, and then returns
 * more than it has memory for as results, as fast as it can.
 */
final class LargePayloadsProgram {
    static final int SUBMITTED = 1_000;

    /** How many it ends before it stops. */
    static final int ENDED = 200;

    private LargePayloadsProgram() {}

    /** Takes URL, user and schema. */
    public static void main(String... words) {
        var options = DatabaseOptions.of(words[0], words[1], Child.password());
        var mebibyte = Payload.text("a large one. ".repeat((1 << 20) / 13));
        var ended = new AtomicInteger();
        try (var store = PostgresStore.open(options, new SchemaName(words[2]));
                var engine = new Engine(store)) {
            engine.start();
            var work =
                    IntStream.range(0, SUBMITTED)
                            .mapToObj(
                                    i ->
                                            Submission.of(FaultScenario.KIND, mebibyte)
                                                    .lane(FaultScenario.LANE))
                            .toList();
            engine.submissions().submit(work).forEach(answer -> answer.orThrow());
            System.out.println("submitted");
            Worker.on(engine)
                    .lane(FaultScenario.LANE.name())
                    .concurrency(4)
                    .handle(
                            FaultScenario.KIND,
                            task -> {
                                ended.incrementAndGet();
                                return task.input();
                            })
                    .start();
            Waiting.until(
                    "enough have ended", SmallHeapProgram.PATIENCE, () -> ended.get() >= ENDED);
        }
        System.out.println("stopped");
    }
}
