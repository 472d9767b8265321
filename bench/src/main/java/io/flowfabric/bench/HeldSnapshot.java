package io.flowfabric.bench;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.contender.UnderSnapshot;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What a snapshot costs that another program holds open while a backlog is drained: of plain work,
 * of work that counts against a quota, and of work that has timers.
 */
final class HeldSnapshot implements Benchmark {
    /** So much that no drain comes near it. */
    private static final int ENOUGH = 10_000;

    private static final Attribution BENCH = new Attribution("bench", "to measure it");

    /** Work that is measured with a snapshot held and without. */
    private enum Work {
        PLAIN("", "plain", Policy.DEFAULT),
        METERED("_metered", "one quota", Policy.DEFAULT.quota("tenant")),
        /** A timer is set by each claim, and removed by each ending. */
        TIMED("_timed", "with a timeout", Policy.DEFAULT.attemptTimeout(Duration.ofMinutes(1))),
        /** It is over before the drain begins, so that sweeps and claims have all of it to do. */
        DELAYED("_delayed", "after a delay", Policy.DEFAULT.start(Due.in(Duration.ofSeconds(1))));

        private final String suffix;
        private final String words;
        private final Policy policy;

        Work(String suffix, String words, Policy policy) {
            this.suffix = suffix;
            this.words = words;
            this.policy = policy;
        }
    }

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        try (var server = Server.start()) {
            var contenders = new ArrayList<Contender>();
            try {
                for (var work : Work.values()) {
                    contenders.add(engine(server, arguments.workers(), "free", work));
                    var held = engine(server, arguments.workers(), "held", work);
                    contenders.add(new UnderSnapshot(held, server.login()));
                }
                var trials = contenders.stream().map(c -> new DrainTrial(server, c)).toList();
                var results = new Rounds(executions, repetitions, progress).run(trials);
                return new Report(
                        "drain --held-snapshot",
                        Benchmark.settings(arguments, executions, repetitions, server),
                        Benchmark.table(results),
                        ratios(results),
                        results.figures());
            } finally {
                contenders.forEach(Contender::close);
            }
        }
    }

    private static EngineDefaults engine(Server server, int workers, String key, Work work)
            throws SQLException {
        var engine =
                new EngineDefaults(
                        server.login(),
                        workers,
                        key + work.suffix,
                        "%s, %s".formatted(work.words, key),
                        nth -> work.policy);
        engine.store().quotas().define(Quota.atOnce("tenant", ENOUGH), BENCH);
        return engine;
    }

    private static Map<String, Double> ratios(Results results) {
        var ratios = new LinkedHashMap<String, Double>();
        for (var work : Work.values()) {
            ratios.put(
                    "held%s_over_free".formatted(work.suffix),
                    results.ratio("held" + work.suffix, "free" + work.suffix));
        }
        return ratios;
    }
}
