package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.worker.Task;

import org.junit.jupiter.api.Test;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Connections that the server ends, all of them, again and again. */
class CutConnectionsTest {
    private static final int CUTS = 120;
    private static final Duration EVERY = Duration.ofMillis(100);

    /** Everybody but who asks. */
    private static final String CUT =
            """
            select count(*) filter (where pg_terminate_backend(pid))
            from pg_stat_activity
            where application_name like 'flowfabric%' and pid <> pg_backend_pid()
            """;

    @Test
    void work_goes_on_on_postgres_while_all_connections_are_cut_ten_times_a_second()
            throws Exception {
        var world = new FaultScenario();
        try (var knife = Servers.connect(world.options());
                var statement = knife.prepareStatement(CUT)) {
            workGoesOn(world, () -> cutAll(statement));
        }
    }

    @Test
    void work_goes_on_on_valkey_while_all_connections_are_cut_ten_times_a_second()
            throws Exception {
        var server = RedisServers.shared();
        workGoesOn(new FaultScenario(server), () -> cutAll(server));
    }

    private static void workGoesOn(FaultScenario scenario, LongSupplier knife) throws Exception {
        try (var world = scenario;
                var load = Load.on(world.watched(), 4, 10, Duration.ofMillis(50))) {
            world.start(
                    FaultScenario.worker(world.engine())
                            .ttl(Duration.ofSeconds(3))
                            .concurrency(8)
                            .handle(FaultScenario.KIND, CutConnectionsTest::work));
            world.process("other", Duration.ofSeconds(3), 8).awaitReady();

            var cut = new AtomicLong();
            Waiting.until(
                    "enough are cut",
                    () -> {
                        Waiting.pause(EVERY);
                        return cut.addAndGet(knife.getAsLong()) >= CUTS;
                    });

            long accepted = load.end();
            world.judge();
            assertThat(world.counts()).containsExactly(entry(PublicState.COMPLETED, accepted));
        }
    }

    private static long cutAll(PreparedStatement cut) {
        try {
            return Servers.number(cut);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long cutAll(EmbeddedRedis server) {
        return Stream.of("normal", "pubsub")
                .mapToLong(type -> Long.parseLong(server.ask(0, "CLIENT", "KILL", "TYPE", type)))
                .sum();
    }

    private static Payload work(Task task) {
        task.progress(50, "half");
        Waiting.pause(Duration.ofMillis(5));
        return Payload.text("here " + task.fence());
    }
}
