package io.flowfabric.bench;

import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.contender.ValkeyEngine;
import io.flowfabric.bench.contender.ValkeyInBatches;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.RedisUsage;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How fast a stored backlog gets done on Valkey, beside the same on Postgres. */
final class ValkeyDrain implements Benchmark {
    static final String POSTGRES = "postgres";
    static final String VALKEY = "valkey";

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int workers = arguments.workers();
        try (var server = Server.start();
                var redis = RedisServer.start();
                var postgres =
                        new EngineDefaults(
                                server.login(), workers, POSTGRES, "Postgres: engine, defaults");
                var valkey = new ValkeyEngine(redis, workers, VALKEY, "Valkey: engine, defaults");
                var batched = new ValkeyInBatches(redis)) {
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new DrainTrial(server, postgres),
                                            new ValkeyTrial(redis, valkey),
                                            new ValkeyTrial(redis, batched)));
            return new Report(
                    "drain on Valkey",
                    Benchmark.settings(arguments, executions, repetitions, servers(server, redis)),
                    ValkeyTable.of(results, POSTGRES, "x Postgres"),
                    ratios(results),
                    results.figures());
        }
    }

    static Map<String, Object> servers(Server server, RedisServer redis) throws SQLException {
        var settings = new LinkedHashMap<String, Object>(redis.settings());
        server.settings().forEach((name, value) -> settings.put("postgres_" + name, value));
        return settings;
    }

    private static Map<String, Double> ratios(Results results) {
        var ratios = new LinkedHashMap<String, Double>();
        ratios.put("valkey_over_postgres", results.ratio(VALKEY, POSTGRES));
        ratios.put("drain_per_s", results.series(VALKEY).perSecond());
        ratios.put(
                "server_us_per_execution",
                results.series("valkey_batched").each(RedisUsage.SERVER));
        ratios.put(
                "engine_server_us_per_execution", results.series(VALKEY).each(RedisUsage.SERVER));
        return ratios;
    }
}
