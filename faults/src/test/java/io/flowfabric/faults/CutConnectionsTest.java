package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.worker.Task;

import org.junit.jupiter.api.Test;

import java.time.Duration;

/** Connections that the server ends, all of them, again and again. */
class CutConnectionsTest {
    private static final int CUTS = 40;
    private static final Duration EVERY = Duration.ofMillis(100);

    /** Everybody but who asks. */
    private static final String CUT =
            """
            select count(*) filter (where pg_terminate_backend(pid))
            from pg_stat_activity
            where application_name like 'flowfabric%' and pid <> pg_backend_pid()
            """;

    @Test
    void work_goes_on_while_all_connections_are_cut_ten_times_a_second() throws Exception {
        try (var world = new World();
                var load = Load.on(world.watched(), 4, 10, Duration.ofMillis(10))) {
            world.start(
                    World.worker(world.engine())
                            .ttl(Duration.ofSeconds(3))
                            .concurrency(8)
                            .handle(World.KIND, CutConnectionsTest::work));
            world.process("other", Duration.ofSeconds(3), 8).awaitReady();

            long cut = 0;
            for (int i = 0; i < CUTS; i++) {
                Waiting.pause(EVERY);
                cut += Servers.number(world.options, CUT);
            }

            var ids = load.end();
            world.judge();
            assertThat(cut).as("connections that were cut").isGreaterThan(2 * CUTS);
            assertThat(ids)
                    .allMatch(id -> world.view(id).state().publicState() == PublicState.COMPLETED);
        }
    }

    private static Payload work(Task task) {
        task.progress(50, "half");
        Waiting.pause(Duration.ofMillis(5));
        return Payload.text("here " + task.fence());
    }
}
