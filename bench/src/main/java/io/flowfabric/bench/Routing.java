package io.flowfabric.bench;

import io.flowfabric.bench.contender.RoutedWork;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * Whether work finds those who can do it: among ten kinds of workers of which there are four each,
 * and where one of forty is able to.
 */
final class Routing implements Benchmark {
    private static final int EXECUTIONS = 10_000;
    private static final int EXECUTIONS_QUICKLY = 2_000;
    private static final int WORKERS = 40;
    private static final int SETS = 10;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS_QUICKLY);
        try (var server = Server.start();
                var work = new RoutedWork(server.login())) {
            var even = work.run("even", executions, WORKERS, worker -> worker % SETS, SETS);
            progress.accept("even: " + even);
            var scarce = work.run("scarce", executions, WORKERS, worker -> Math.min(worker, 1), 1);
            progress.accept("scarce: " + scarce);
            var table = new Table("", "executions/s", "routed", "p50 s", "p99 s");
            var figures = new LinkedHashMap<String, Object>();
            for (var run : List.of(even, scarce)) {
                table.row(
                        run.name(),
                        "%,.0f".formatted(run.perSecond()),
                        "%.4f".formatted(run.routed()),
                        "%.3f".formatted(run.waited(50)),
                        "%.3f".formatted(run.waited(99)));
                figures.put(run.name(), run.figures());
            }
            var ratios = new LinkedHashMap<String, Double>();
            ratios.put("routed", Math.min(even.routed(), scarce.routed()));
            ratios.put("even_p99_s", even.waited(99));
            ratios.put("scarce_p99_s", scarce.waited(99));
            var settings = Benchmark.settings(arguments, executions, 1, server);
            settings.put("workers", WORKERS);
            settings.put("capability_sets", SETS);
            return new Report("routing", settings, table, ratios, figures);
        }
    }
}
