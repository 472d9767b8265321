package io.flowfabric.cli;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.worker.Worker;

import java.util.concurrent.CountDownLatch;

/** The code that docs/workers.md shows; {@link WorkersPageTest} compares, and runs it. */
final class WorkersExample {
    private WorkersExample() {}

    // [PAGE
    static void sendWelcomes(DatabaseOptions database, CountDownLatch shutdown)
            throws InterruptedException {
        try (var store = PostgresStore.open(database);
                var engine = new Engine(store)) {
            engine.start();
            var worker =
                    Worker.on(engine)
                            .name("mailer")
                            .lane("emails")
                            .concurrency(64) // how many handlers run at once
                            .handle("welcome", task -> send(task.input().asText()))
                            .start();

            var ada = Submission.of("welcome", Payload.text("ada@example.org")).lane("emails");
            engine.submit(ada);

            shutdown.await(); // your application lives here
            worker.stop(); // what it has begun is finished first
        }
    }

    static Payload send(String address) {
        return Payload.text("sent to " + address); // the result of the execution
    }

    // PAGE]

    // [PAGE
    static Worker rendering(Engine engine) {
        return Worker.on(engine)
                .name("renderer")
                .lane("films")
                .concurrency(Runtime.getRuntime().availableProcessors())
                .threads(Thread.ofPlatform().factory())
                .handle("render", task -> task.input())
                .start();
    }

    // PAGE]
}
