package io.flowfabric.bench;

import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Whether a claim and a finish cost more when much is stored that ended long ago. */
final class Growth implements Benchmark {
    static final int EXECUTIONS = 10_000;
    static final int SMALL = 10_000;
    static final int LARGE = 2_000_000;
    static final int LARGE_QUICKLY = 200_000;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int workers = arguments.workers();
        int much = arguments.quick() ? LARGE_QUICKLY : LARGE;
        try (var server = Server.start();
                var small = new EngineDefaults(server.login(), workers, "small", stored(SMALL));
                var large = new EngineDefaults(server.login(), workers, "large", stored(much))) {
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new GrowthTrial(server, small, SMALL),
                                            new GrowthTrial(server, large, much)));
            var ratio = arguments.quick() ? "growth_200k_over_10k" : "growth_2m_over_10k";
            return new Report(
                    "growth",
                    Benchmark.settings(arguments, executions, repetitions, server),
                    Benchmark.table(results),
                    // Of times, so the other way round than of rates.
                    Map.of(ratio, results.ratio("small", "large")),
                    results.figures());
        }
    }

    static String stored(int executions) {
        return "%,d stored".formatted(executions);
    }

    /** A drain beside so many executions that have ended. */
    private record GrowthTrial(Server server, EngineDefaults engine, int ended) implements Trial {
        @Override
        public String key() {
            return engine.key();
        }

        @Override
        public String name() {
            return engine.name();
        }

        @Override
        public Run run(int executions) throws SQLException, InterruptedException {
            boolean fits = engine.stored() >= ended && engine.stored() - ended <= ended / 10;
            if (!fits) {
                engine.clear();
            }
            engine.submit(executions);
            if (!fits) {
                engine.fill(ended);
            }
            server.settle();
            var before = server.usage();
            var time = engine.drain();
            var used = server.usage().since(before);
            engine.verify();
            return new Run(executions, time, used.walBytes(), used.commits());
        }
    }
}
