package io.flowfabric.bench;

import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.operate.NamespaceSettings;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * Beside much that has ended: what a page of a search and a count cost, and what it costs a drain
 * that the rest is being forgotten meanwhile.
 */
final class Retention implements Benchmark {
    private static final int EXECUTIONS = 100_000;
    private static final int EXECUTIONS_QUICKLY = 20_000;
    private static final int ENDED = 2_000_000;
    private static final int ENDED_QUICKLY = 200_000;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int ended = arguments.quick() ? ENDED_QUICKLY : ENDED;
        try (var server = Server.start();
                var engine = new EngineDefaults(server.login(), arguments.workers())) {
            engine.submit(1);
            engine.drain();
            progress.accept("storing %,d executions that have ended".formatted(ended));
            engine.fill(ended);
            server.settle();
            var pages = Pages.read(engine.store());
            progress.accept(pages.toString());
            var alone = new RetentionTrial(server, engine, "alone", "nothing to forget");
            var during = new RetentionTrial(server, engine, "during", "old work is forgotten");
            var results = new Rounds(executions, repetitions, progress).run(List.of(alone, during));
            var ratios = new LinkedHashMap<String, Double>();
            ratios.put("drain_during_retention_over_alone", results.ratio("during", "alone"));
            ratios.put("forgotten_over_drained", during.forgotten / during.drained);
            ratios.put("forgotten_per_s", during.forgotten / during.seconds);
            ratios.put("slowest_page_ms", pages.slowestPage());
            ratios.put("counts_ms", pages.counts());
            var figures = new LinkedHashMap<>(results.figures());
            figures.put("pages_ms", pages.pages());
            return new Report(
                    "retention",
                    Benchmark.settings(arguments, executions, repetitions, server),
                    Benchmark.table(results),
                    ratios,
                    figures);
        }
    }

    /** A drain, beside what is forgotten or what is not. */
    private static final class RetentionTrial implements Trial {
        private static final Attribution BENCH = new Attribution("bench", "to measure it");
        private static final Duration HALF_A_DAY = Duration.ofHours(12);

        private final Server server;
        private final EngineDefaults engine;
        private final String key;
        private final String name;
        private double forgotten;
        private double drained;
        private double seconds;

        RetentionTrial(Server server, EngineDefaults engine, String key, String name) {
            this.server = server;
            this.engine = engine;
            this.key = key;
            this.name = name;
        }

        @Override
        public String key() {
            return key;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Run run(int executions) throws SQLException, InterruptedException {
            engine.submit(executions);
            server.settle();
            long stored = stored();
            var before = server.usage();
            // One row decides whether what ended a day ago is over.
            configure(
                    key.equals("during")
                            ? NamespaceSettings.DEFAULT.retention(HALF_A_DAY)
                            : NamespaceSettings.DEFAULT);
            var time = engine.drain();
            configure(NamespaceSettings.DEFAULT);
            var used = server.usage().since(before);
            forgotten += stored - stored();
            drained += executions;
            seconds += time.toNanos() / 1e9;
            return new Run(executions, time, used.walBytes(), used.commits());
        }

        private void configure(NamespaceSettings settings) {
            engine.store().namespaces().configure(Namespace.DEFAULT, settings, BENCH);
        }

        private long stored() {
            return engine.store().queries().counts(Namespace.DEFAULT).values().stream()
                    .flatMap(states -> states.values().stream())
                    .mapToLong(Long::longValue)
                    .sum();
        }
    }
}
