package io.flowfabric.bench;

import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;
import io.flowfabric.bench.server.WireTap;
import io.flowfabric.engine.Time;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.function.Consumer;

/** What an engine and its worker ask of the database while there is nothing to do. */
final class Idle implements Benchmark {
    static final Duration WATCHED = Duration.ofSeconds(10);
    static final Duration WATCHED_QUICKLY = Duration.ofSeconds(5);

    /** Until whatever comes after the last piece of work has come. */
    static final Duration SETTLING = Duration.ofSeconds(3);

    /** So that there is a lane to look into, and something that was done. */
    static final int BEFORE = 1_000;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        var watched = arguments.quick() ? WATCHED_QUICKLY : WATCHED;
        try (var server = Server.start();
                var tap = WireTap.on(server);
                var engine = new EngineDefaults(tap.login(), arguments.workers())) {
            engine.submit(BEFORE);
            engine.drain();
            progress.accept("watching an idle engine for " + watched.toSeconds() + " s");
            var counted =
                    engine.running(
                            () -> {
                                pass(SETTLING);
                                var before = tap.count();
                                pass(watched);
                                return tap.count().since(before);
                            });
            engine.verify();
            double statements = (double) counted.statements() / watched.toSeconds();
            double roundTrips = (double) counted.roundTrips() / watched.toSeconds();
            var table = new Table("", "statements/s", "round trips/s");
            table.row(
                    "engine and worker, idle",
                    "%.1f".formatted(statements),
                    "%.1f".formatted(roundTrips));
            return new Report(
                    "idle",
                    Benchmark.settings(arguments, BEFORE, 1, server),
                    table,
                    Map.of("idle_statements_per_s", statements),
                    Map.of(
                            "seconds", watched.toSeconds(),
                            "statements", counted.statements(),
                            "round_trips", counted.roundTrips()));
        }
    }

    static void pass(Duration time) {
        long until = Time.SYSTEM.nanos() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - Time.SYSTEM.nanos()) {
            Time.SYSTEM.park(left);
        }
    }
}
