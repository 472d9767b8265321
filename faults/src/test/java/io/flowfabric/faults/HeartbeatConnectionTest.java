package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.operate.Workers.Scope;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.worker.Task;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;

/**
 * R6: heartbeats need no connection of the pool, and one that hangs is tried again, on another
 * connection, while the session lives.
 */
class HeartbeatConnectionTest {
    private static final Duration TTL = Duration.ofSeconds(3);

    private final FaultScenario world = new FaultScenario();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void a_session_lives_although_every_connection_that_it_had_hangs() throws Exception {
        try (var proxy = new SilentProxy(Servers.shared().port())) {
            var id = startOn(through(proxy), task -> {});

            assertThat(proxy.silence()).as("connections").isGreaterThan(2);
            lives(id);
            proxy.speak();

            isDoneUnderItsFirstLease(id);
        }
    }

    @Test
    void a_session_lives_although_the_pool_has_no_connection_for_it() throws Exception {
        var reporting = new CountDownLatch(1);
        var id =
                startOn(
                        world.options().withConnections(1),
                        task -> {
                            await(reporting);
                            task.progress(50, "half");
                        });
        try (var other = Servers.connect(world.options());
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute(
                    "select from %s.execution where id = '%s' for update"
                            .formatted(world.schema(), id.uuid()));
            // It waits for that lock, on the only connection.
            reporting.countDown();
            lives(id);
            other.rollback();
        }

        isDoneUnderItsFirstLease(id);
    }

    private interface Step {
        void run(Task task) throws Exception;
    }

    private ExecutionId startOn(DatabaseOptions options, Step first) {
        world.start(
                FaultScenario.worker(world.engine(world.watched(world.another(options))))
                        .ttl(TTL)
                        .handle(
                                FaultScenario.KIND,
                                task -> {
                                    begun.countDown();
                                    first.run(task);
                                    go.await();
                                    return Payload.EMPTY;
                                }));
        var id = world.submit(1).getFirst();
        Waiting.until("it runs", () -> begun.getCount() == 0);
        return id;
    }

    /** Looks at it for twice as long as it would live without heartbeats. */
    private void lives(ExecutionId id) {
        long until = System.nanoTime() + TTL.multipliedBy(2).toNanos();
        Waiting.until(
                "it has lived long enough",
                () -> {
                    assertThat(world.view(id).state().publicState()).isEqualTo(PublicState.ACTIVE);
                    var workers =
                            world.store()
                                    .workers()
                                    .list(Namespace.DEFAULT, Scope.ALIVE, Cursor.START, 10);
                    assertThat(workers.items()).as("living sessions").hasSize(1);
                    return System.nanoTime() > until;
                });
    }

    private void isDoneUnderItsFirstLease(ExecutionId id) {
        go.countDown();
        Waiting.until(
                "it is done", () -> world.view(id).state().publicState() == PublicState.COMPLETED);
        assertThat(world.steps(id, Transition.CLAIM)).hasSize(1);
        assertThat(world.view(id).reclaims()).isZero();
        world.judge();
    }

    private DatabaseOptions through(SilentProxy proxy) {
        var direct = world.options().url();
        var url =
                direct.replace("127.0.0.1:" + Servers.shared().port(), "127.0.0.1:" + proxy.port());
        assertThat(url).isNotEqualTo(direct);
        return DatabaseOptions.of(
                url,
                Objects.requireNonNull(world.options().user()),
                Objects.requireNonNull(world.options().password()));
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        latch.await();
    }
}
