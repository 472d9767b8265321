package io.flowfabric.cli;

import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.worker.Worker;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/** The code that the README shows, so that it compiles and runs; {@link ReadmeTest} compares. */
final class ReadmeExample {
    private final CountDownLatch sent = new CountDownLatch(1);

    void run(Path home) throws InterruptedException {
        // [PAGE
        try (var server = EmbeddedPostgres.start(home); // a real Postgres, in a folder
                var store =
                        PostgresStore.open(
                                DatabaseOptions.of(
                                        server.url(), server.user(), server.password()));
                var engine = new Engine(store)) {
            engine.start();
            var worker =
                    Worker.on(engine)
                            .name("mailer")
                            .lane("emails")
                            .handle("welcome", task -> send(task.input().asText()))
                            .start();

            engine.submit(
                    Submission.of("welcome", Payload.text("ada@example.org"))
                            .lane("emails")
                            .key("welcome-ada")); // throws when it is refused

            sent.await(); // your application lives here
            worker.stop(); // what it has begun is finished first
        }
        // PAGE]
    }

    private Payload send(String address) {
        sent.countDown();
        return Payload.text("sent to " + address);
    }
}
