package io.flowfabric.bench;

import io.flowfabric.bench.report.Measured;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.RedisUsage;

import java.util.List;

/**
 * What is printed of measurements on Valkey, perhaps with one on Postgres beside them: rates, and
 * what an execution takes of the processors.
 */
final class ValkeyTable {
    private static final List<String> COSTS =
            List.of(RedisUsage.SERVER, RedisUsage.JVM, RedisUsage.CALLS, RedisUsage.COMMANDS);

    private ValkeyTable() {}

    /**
     * @param compared the key of the one that all are compared with
     * @param heading what that column is called
     */
    static Table of(Results results, String compared, String heading) {
        var table =
                new Table(
                        "",
                        "executions/s",
                        "slowest..fastest",
                        heading,
                        "server us",
                        "JVM us",
                        "calls",
                        "commands");
        for (var measured : results.all()) {
            var series = measured.series();
            table.row(
                    measured.name(),
                    "%,.0f".formatted(series.perSecond()),
                    "%,.0f..%,.0f".formatted(series.slowest(), series.fastest()),
                    "%.2f".formatted(results.ratio(measured.key(), compared)),
                    cost(measured, 0, "%.1f"),
                    cost(measured, 1, "%.1f"),
                    cost(measured, 2, "%.3f"),
                    cost(measured, 3, "%.2f"));
        }
        return table;
    }

    /** Nothing where it was not measured. */
    private static String cost(Measured measured, int n, String format) {
        var series = measured.series();
        return series.knows(COSTS.get(n)) ? format.formatted(series.each(COSTS.get(n))) : "";
    }
}
