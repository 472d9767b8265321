package io.flowfabric.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.store.Store;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.engine.Engine;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

class WorkersPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/cli/WorkersExample.java");

        assertThat(PageExample.shown(Path.of("../docs/workers.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    @Timeout(120)
    void the_code_on_the_page_runs(@TempDir Path home) throws Exception {
        var shutdown = new CountDownLatch(1);
        try (var server = EmbeddedPostgres.start(home.resolve("home"));
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var database = DatabaseOptions.of(server.url(), server.user(), server.password());
            var running =
                    threads.submit(
                            () -> {
                                WorkersExample.sendWelcomes(database, shutdown);
                                return true;
                            });
            try (var store = PostgresStore.open(database)) {
                while (completed(store) == 0 && !running.isDone()) {
                    LockSupport.parkNanos(10_000_000);
                }
                shutdown.countDown();

                assertThat(running.get()).isTrue();
                assertThat(completed(store)).isEqualTo(1);
                computes(store);
            }
        }
    }

    private static long completed(Store store) {
        return store.queries()
                .counts(Namespace.DEFAULT)
                .getOrDefault(Lane.of("emails"), Map.of())
                .getOrDefault(PublicState.COMPLETED, 0L);
    }

    private static void computes(Store store) {
        try (var engine = new Engine(store)) {
            engine.start();
            var worker = WorkersExample.rendering(engine);

            assertThat(worker.running()).isTrue();
            worker.stop();
        }
    }
}
