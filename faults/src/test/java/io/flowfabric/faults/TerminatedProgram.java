package io.flowfabric.faults;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.worker.Worker;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * A program that owns everything, its Postgres too, and does nothing for its end: it waits for a
 * signal that it does not handle.
 */
final class TerminatedProgram {
    static final Duration GRACE = Duration.ofSeconds(5);

    /** Ends by itself within the grace. */
    static final String SLOW = "slow";

    /** Does not end until it is interrupted. */
    static final String ENDLESS = "endless";

    private TerminatedProgram() {}

    /** Takes the home of the server, and the schema. */
    public static void main(String... words) throws InterruptedException {
        var begun = new CountDownLatch(2);
        try (var server =
                        EmbeddedPostgres.start(
                                Path.of(words[0]), Servers.embedded().withoutDurability());
                var store = PostgresStore.open(Servers.options(server), new SchemaName(words[1]));
                var engine = new Engine(store)) {
            engine.start();
            Worker.on(engine)
                    .concurrency(2)
                    .grace(GRACE)
                    .handle(
                            SLOW,
                            task -> {
                                begun.countDown();
                                Waiting.pause(Duration.ofSeconds(3));
                                return Payload.text("in time");
                            })
                    .handle(
                            ENDLESS,
                            task -> {
                                begun.countDown();
                                new CountDownLatch(1).await();
                                return Payload.EMPTY;
                            })
                    .start();
            engine.submit(Submission.of(SLOW, Payload.EMPTY));
            engine.submit(Submission.of(ENDLESS, Payload.EMPTY));
            begun.await();
            engine.submit(Submission.of("later", Payload.EMPTY));
            System.out.println("ready");
            new CountDownLatch(1).await();
        }
    }
}
