package io.flowfabric.bench;

import io.flowfabric.bench.contender.ValkeyEngine;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.RedisUsage;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;

/** Whether a claim and a finish cost more on Valkey when much is stored that has ended. */
final class ValkeyGrowth implements Benchmark {

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Growth.EXECUTIONS, Growth.EXECUTIONS);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int workers = arguments.workers();
        int much = arguments.quick() ? Growth.LARGE_QUICKLY : Growth.LARGE;
        try (var few = RedisServer.start();
                var many = RedisServer.start();
                var small = new ValkeyEngine(few, workers, "small", Growth.stored(Growth.SMALL));
                var large = new ValkeyEngine(many, workers, "large", Growth.stored(much))) {
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new ValkeyGrowthTrial(few, small, Growth.SMALL),
                                            new ValkeyGrowthTrial(many, large, much)));
            double ratio = results.ratio("small", "large");
            var ratios = new LinkedHashMap<String, Double>();
            // The slower by the faster, whichever that is.
            ratios.put("growth", Math.max(ratio, 1 / ratio));
            ratios.put(
                    "server_growth",
                    results.series("large").each(RedisUsage.SERVER)
                            / results.series("small").each(RedisUsage.SERVER));
            return new Report(
                    "growth on Valkey",
                    Benchmark.settings(arguments, executions, repetitions, many.settings()),
                    ValkeyTable.of(results, "small", "x small"),
                    ratios,
                    results.figures());
        }
    }

    /** A drain beside so many executions that have ended. */
    private record ValkeyGrowthTrial(RedisServer server, ValkeyEngine engine, int ended)
            implements Trial {
        @Override
        public String key() {
            return engine.key();
        }

        @Override
        public String name() {
            return engine.name();
        }

        @Override
        public Run run(int executions) throws InterruptedException {
            boolean fits = engine.stored() >= ended && engine.stored() - ended <= ended / 10;
            if (!fits) {
                engine.clear();
                engine.fill(ended);
            }
            engine.mark();
            engine.submit(executions);
            server.settle();
            var before = server.usage();
            var time = engine.drain();
            var used = server.usage().since(before);
            engine.verify();
            return new Run(executions, time, used.named());
        }
    }
}
