package io.flowfabric.bench;

import io.flowfabric.bench.contender.ValkeyEngine;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.RedisServer;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** What an execution without payload takes of the server's memory, its history and log included. */
final class ValkeyMemory implements Benchmark {
    /** So that what there is only once is there already. */
    private static final int BEFORE = 1;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        try (var server = RedisServer.start();
                var engine = new ValkeyEngine(server, arguments.workers(), "valkey", "Valkey")) {
            engine.submit(BEFORE);
            engine.drain();
            long empty = memory(server);
            progress.accept("submitting %,d executions".formatted(executions));
            engine.submit(executions);
            long waiting = memory(server);
            progress.accept("doing them");
            engine.drain();
            long finished = memory(server);
            engine.verify();

            double perWaiting = (double) (waiting - empty) / executions;
            double perFinished = (double) (finished - empty) / executions;
            var ratios = new LinkedHashMap<String, Double>();
            ratios.put("bytes_per_waiting", perWaiting);
            ratios.put("bytes_per_finished", perFinished);
            var table = new Table("", "bytes each", "megabytes in all");
            row(table, "waiting", perWaiting, waiting);
            row(table, "finished", perFinished, finished);
            return new Report(
                    "memory on Valkey",
                    Benchmark.settings(arguments, executions, 1, server.settings()),
                    table,
                    ratios,
                    Map.of("empty", empty, "waiting", waiting, "finished", finished));
        }
    }

    private static long memory(RedisServer server) {
        server.settle();
        return server.memory();
    }

    private static void row(Table table, String name, double each, long all) {
        table.row(name, "%,.0f".formatted(each), "%,.1f".formatted(all / 1e6));
    }
}
