package io.flowfabric.bench;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.contender.ValkeyEngine;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.RedisUsage;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * How fast one thread stores work on Valkey, in chunks of a thousand, beside the same on Postgres.
 */
final class ValkeySubmit implements Benchmark {

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
                                server.login(), workers, ValkeyDrain.POSTGRES, "Postgres");
                var valkey = new ValkeyEngine(redis, workers, ValkeyDrain.VALKEY, "Valkey")) {
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new Submit.SubmitTrial(server, postgres),
                                            new ValkeySubmitTrial(redis, valkey)));
            var stored = results.series(ValkeyDrain.VALKEY);
            var ratios = new LinkedHashMap<String, Double>();
            ratios.put("submit_per_s", stored.perSecond());
            ratios.put("server_us_per_submission", stored.each(RedisUsage.SERVER));
            ratios.put(
                    "submit_over_postgres",
                    results.ratio(ValkeyDrain.VALKEY, ValkeyDrain.POSTGRES));
            return new Report(
                    "submit on Valkey",
                    Benchmark.settings(
                            arguments, executions, repetitions, ValkeyDrain.servers(server, redis)),
                    ValkeyTable.of(results, ValkeyDrain.POSTGRES, "x Postgres"),
                    ratios,
                    results.figures());
        }
    }

    /** Storing work that nobody does meanwhile. */
    private record ValkeySubmitTrial(RedisServer server, Contender contender) implements Trial {
        @Override
        public String key() {
            return contender.key();
        }

        @Override
        public String name() {
            return contender.name();
        }

        @Override
        public Run run(int executions) throws SQLException {
            contender.clear();
            server.settle();
            var before = server.usage();
            long began = System.nanoTime();
            contender.submit(executions);
            var time = Duration.ofNanos(System.nanoTime() - began);
            var used = server.usage().since(before);
            Submit.check(contender, executions);
            contender.clear();
            return new Run(executions, time, used.named());
        }
    }
}
