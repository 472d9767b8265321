package io.flowfabric.bench;

import io.flowfabric.bench.contender.BareSql;
import io.flowfabric.bench.contender.BareSqlInBatches;
import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.contender.DbScheduler;
import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.contender.OneAtATime;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Login;
import io.flowfabric.bench.server.Server;
import io.flowfabric.bench.server.WireTap;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How fast a stored backlog gets done, by us and by others. */
final class Drain implements Benchmark {
    static final int EXECUTIONS = 100_000;
    static final int EXECUTIONS_QUICKLY = 10_000;
    static final int REPETITIONS = 5;
    static final int REPETITIONS_QUICKLY = 2;

    /** Enough to count round trips; they are not timed. */
    private static final int COUNTED = 2_000;

    /** Makes a contender that reaches the server in a given way. */
    private interface Maker {
        Contender make(Login login, int workers) throws SQLException;
    }

    private static final List<Maker> CONTENDERS =
            List.of(
                    BareSql::new,
                    BareSqlInBatches::new,
                    OneAtATime::new,
                    EngineDefaults::new,
                    DbScheduler::new);

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(REPETITIONS, REPETITIONS_QUICKLY);
        try (var server = Server.start()) {
            var trials = new ArrayList<DrainTrial>();
            try {
                for (var maker : CONTENDERS) {
                    var contender = maker.make(server.login(), arguments.workers());
                    trials.add(new DrainTrial(server, contender));
                }
                var results = new Rounds(executions, repetitions, progress).run(trials);
                var roundTrips = count(server, arguments.workers(), Math.min(executions, COUNTED));
                var figures = results.figures();
                figures.put("round_trips_each", roundTrips);
                return new Report(
                        "drain",
                        Benchmark.settings(arguments, executions, repetitions, server),
                        table(results, roundTrips),
                        ratios(results),
                        figures);
            } finally {
                trials.forEach(trial -> trial.contender().close());
            }
        }
    }

    /** How often each contender waits for the server, for each execution. */
    private static Map<String, Double> count(Server server, int workers, int executions)
            throws IOException, SQLException, InterruptedException {
        var counts = new LinkedHashMap<String, Double>();
        for (var maker : CONTENDERS) {
            try (var tap = WireTap.on(server);
                    var contender = maker.make(tap.login(), workers)) {
                contender.clear();
                contender.submit(executions);
                var before = tap.count();
                contender.drain();
                var counted = tap.count().since(before);
                counts.put(contender.key(), (double) counted.roundTrips() / executions);
                contender.clear();
            }
        }
        return counts;
    }

    private static Map<String, Double> ratios(Results results) {
        var ratios = new LinkedHashMap<String, Double>();
        ratios.put("default_over_dbscheduler", results.ratio("default", "dbscheduler"));
        ratios.put("default_over_bare", results.ratio("default", "bare"));
        ratios.put("default_over_bare_batched", results.ratio("default", "bare_batched"));
        ratios.put("single_over_bare", results.ratio("single", "bare"));
        return ratios;
    }

    private static Table table(Results results, Map<String, Double> roundTrips) {
        var table =
                new Table(
                        "",
                        "executions/s",
                        "slowest..fastest",
                        "x bare",
                        "x db-scheduler",
                        "WAL bytes",
                        "commits",
                        "round trips");
        for (var measured : results.all()) {
            var series = measured.series();
            table.row(
                    measured.name(),
                    "%,.0f".formatted(series.perSecond()),
                    "%,.0f..%,.0f".formatted(series.slowest(), series.fastest()),
                    "%.2f".formatted(results.ratio(measured.key(), "bare")),
                    "%.2f".formatted(results.ratio(measured.key(), "dbscheduler")),
                    "%,.0f".formatted(series.walBytesEach()),
                    "%.2f".formatted(series.commitsEach()),
                    "%.2f".formatted(roundTrips.get(measured.key())));
        }
        return table;
    }
}
