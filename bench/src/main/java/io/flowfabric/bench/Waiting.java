package io.flowfabric.bench;

import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.store.Store;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.valkey.ValkeyStore;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What waiting costs: how soon work goes on after its signal, how many signals are taken, what a
 * claim takes beside much that waits, and what steps cost a handler.
 */
final class Waiting implements Benchmark {
    private static final int SUSPENDED = 100_000;
    private static final int SUSPENDED_QUICKLY = 5_000;
    private static final int RESUMED = 1_000;
    private static final int RESUMED_QUICKLY = 200;
    private static final int WITH_STEPS = 5_000;
    private static final int WITH_STEPS_QUICKLY = 1_000;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        return switch (arguments.store()) {
            case POSTGRES -> {
                try (var server = Server.start();
                        var store = PostgresStore.open(server.login().options())) {
                    var settings = Benchmark.settings(arguments, suspended(arguments), 1, server);
                    yield measured(store, "waiting", settings, arguments, progress);
                }
            }
            case VALKEY -> {
                try (var server = RedisServer.start();
                        var store = ValkeyStore.open(server.options())) {
                    var settings =
                            Benchmark.settings(
                                    arguments, suspended(arguments), 1, server.settings());
                    yield measured(store, "waiting on Valkey", settings, arguments, progress);
                }
            }
        };
    }

    private static int suspended(Arguments arguments) {
        return arguments.executionsOr(SUSPENDED, SUSPENDED_QUICKLY);
    }

    private static Report measured(
            Store store,
            String title,
            Map<String, Object> settings,
            Arguments arguments,
            Consumer<String> progress)
            throws InterruptedException {
        var figures = new LinkedHashMap<String, Double>();
        var table = new Table("", "figure");

        progress.accept("work that waits for one signal, one after the other");
        var resumed = WaitingRuns.resumed(store, arguments.quick() ? RESUMED_QUICKLY : RESUMED);
        figures.put("resume_p50_ms", resumed.median());
        figures.put("resume_p99_ms", resumed.at(0.99));
        table.row("from the signal to the handler, median ms", "%.2f".formatted(resumed.median()));
        table.row("p99 ms", "%.2f".formatted(resumed.at(0.99)));

        int many = suspended(arguments);
        progress.accept("claims alone, and beside %,d that wait".formatted(many));
        var beside = WaitingRuns.beside(store, many, progress);
        figures.put("claim_beside_suspended_over_alone", beside.claimRatio());
        figures.put("suspensions_per_s", beside.suspensionsPerSecond());
        figures.put("signals_per_s", beside.signalsPerSecond());
        figures.put("resumed_drained_per_s", beside.drainedPerSecond());
        table.row("a claim beside them over one alone", "%.2f".formatted(beside.claimRatio()));
        table.row("suspensions/s", "%,.0f".formatted(beside.suspensionsPerSecond()));
        table.row("signals/s, to all of them", "%,.0f".formatted(beside.signalsPerSecond()));
        table.row("done after that/s", "%,.0f".formatted(beside.drainedPerSecond()));

        int steps = arguments.quick() ? WITH_STEPS_QUICKLY : WITH_STEPS;
        progress.accept("%,d handlers with ten steps, and eleven times as many".formatted(steps));
        var stepping = WaitingRuns.stepping(store, steps, arguments.workers());
        figures.put("steps_over_plain", stepping.ratio());
        figures.put("steps_per_s", stepping.stepsPerSecond());
        table.row("steps/s", "%,.0f".formatted(stepping.stepsPerSecond()));
        table.row("ten steps over eleven executions", "%.2f".formatted(stepping.ratio()));
        return new Report(title, settings, table, figures, new LinkedHashMap<>());
    }
}
