package io.flowfabric.bench;

import io.flowfabric.bench.contender.ValkeyEngine;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Series;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.RedisUsage;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How fast a backlog gets done on a cluster of three, with a namespace on each node and with one
 * namespace spread over all of them, beside one node with one namespace and with the same three;
 * and where the processors spent their time, because all of them share those of one machine.
 */
final class ValkeyCluster implements Benchmark {
    private static final String ONE = "one";
    private static final String ONE_THREE = "one_with_three";
    private static final String CLUSTER = "cluster";
    private static final String SPREAD = "spread";

    /** A few for each node, so that none has much more than the others. */
    private static final int PARTITIONS = 12;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int workers = arguments.workers();
        try (var node = RedisServer.start();
                var nodes = RedisServer.startCluster()) {
            var namespaces = nodes.namespaceOnEachNode();
            try (var one = new ValkeyEngine(node, workers, ONE, "one node, one namespace");
                    var oneWithThree =
                            new ValkeyEngine(
                                    node,
                                    workers,
                                    ONE_THREE,
                                    "one node, three namespaces",
                                    namespaces);
                    var cluster =
                            new ValkeyEngine(
                                    nodes,
                                    workers,
                                    CLUSTER,
                                    "three nodes, a namespace on each",
                                    namespaces);
                    var spread =
                            ValkeyEngine.spread(
                                    nodes,
                                    workers,
                                    SPREAD,
                                    "three nodes, one namespace on all",
                                    PARTITIONS)) {
                var results =
                        new Rounds(executions, repetitions, progress)
                                .run(
                                        List.of(
                                                new ValkeyTrial(node, one),
                                                new ValkeyTrial(node, oneWithThree),
                                                new ValkeyTrial(nodes, cluster),
                                                new ValkeyTrial(nodes, spread)));
                return new Report(
                        "cluster of Valkey",
                        Benchmark.settings(arguments, executions, repetitions, nodes.settings()),
                        table(results),
                        ratios(results),
                        results.figures());
            }
        }
    }

    private static Map<String, Double> ratios(Results results) {
        var ratios = new LinkedHashMap<String, Double>();
        ratios.put("cluster_over_one", results.ratio(CLUSTER, ONE));
        ratios.put("cluster_over_one_with_three", results.ratio(CLUSTER, ONE_THREE));
        ratios.put("spread_over_one", results.ratio(SPREAD, ONE));
        ratios.put(
                "busiest_node_us_per_execution", results.series(CLUSTER).each(RedisUsage.BUSIEST));
        return ratios;
    }

    private static Table table(Results results) {
        var table =
                new Table(
                        "",
                        "executions/s",
                        "slowest..fastest",
                        "x one node",
                        "us of each server",
                        "all servers us",
                        "JVM us",
                        "cores busy");
        for (var measured : results.all()) {
            var series = measured.series();
            double servers = series.each(RedisUsage.SERVER);
            double jvm = series.each(RedisUsage.JVM);
            table.row(
                    measured.name(),
                    "%,.0f".formatted(series.perSecond()),
                    "%,.0f..%,.0f".formatted(series.slowest(), series.fastest()),
                    "%.2f".formatted(results.ratio(measured.key(), ONE)),
                    eachServer(series),
                    "%.1f".formatted(servers),
                    "%.1f".formatted(jvm),
                    "%.2f".formatted((servers + jvm) * series.perSecond() / 1e6));
        }
        return table;
    }

    private static String eachServer(Series series) {
        var text = new StringBuilder();
        for (int number = 1; series.knows(RedisUsage.node(number)); number++) {
            text.append(number > 1 ? " + " : "")
                    .append("%.1f".formatted(series.each(RedisUsage.node(number))));
        }
        return text.isEmpty() ? "%.1f".formatted(series.each(RedisUsage.SERVER)) : text.toString();
    }
}
