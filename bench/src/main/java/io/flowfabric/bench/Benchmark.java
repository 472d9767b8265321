package io.flowfabric.bench;

import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** Something that can be measured on a server of its own. */
interface Benchmark {
    /**
     * Measures it.
     *
     * @param progress hears what is going on, because it takes a while
     */
    Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException;

    /** What a reader of the figures has to know. */
    static Map<String, Object> settings(
            Arguments arguments, int executions, int repetitions, Server server)
            throws SQLException {
        return settings(arguments, executions, repetitions, server.settings());
    }

    /** The same, with what there is to know of other servers. */
    static Map<String, Object> settings(
            Arguments arguments, int executions, int repetitions, Map<String, Object> servers) {
        var settings = new LinkedHashMap<String, Object>();
        settings.put("executions", executions);
        settings.put("repetitions", repetitions);
        settings.put("workers", arguments.workers());
        settings.put("input_bytes", 0);
        settings.put("quick", arguments.quick());
        settings.put("cores", Runtime.getRuntime().availableProcessors());
        settings.put("java", Runtime.version().toString());
        settings.putAll(servers);
        return settings;
    }

    /** Rates, what they cost, and how far they spread. */
    static Table table(Results results) {
        var table = new Table("", "executions/s", "slowest..fastest", "WAL bytes", "commits");
        for (var measured : results.all()) {
            var series = measured.series();
            table.row(
                    measured.name(),
                    "%,.0f".formatted(series.perSecond()),
                    "%,.0f..%,.0f".formatted(series.slowest(), series.fastest()),
                    "%,.0f".formatted(series.walBytesEach()),
                    "%.3f".formatted(series.commitsEach()));
        }
        return table;
    }
}
