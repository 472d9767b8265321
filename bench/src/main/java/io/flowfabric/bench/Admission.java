package io.flowfabric.bench;

import io.flowfabric.bench.contender.BesideShut;
import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.Policy;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;

/**
 * What it costs a drain that every execution counts against quotas which hold nothing back, and
 * that a backlog waits beside it for a budget which is used up.
 */
final class Admission implements Benchmark {
    private static final int EXECUTIONS = 100_000;
    private static final int EXECUTIONS_QUICKLY = 10_000;

    /** So much that no drain comes near it. */
    private static final int ENOUGH = 10_000;

    private static final int KEYS = 100;

    /** How much waits behind the budget. */
    private static final int WAITING = 50_000;

    private static final Attribution BENCH = new Attribution("bench", "to measure it");

    private static final Policy TENANT = Policy.DEFAULT.quota("tenant");

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int workers = arguments.workers();
        try (var server = Server.start();
                var off = new EngineDefaults(server.login(), workers, "off", "no quota");
                var one =
                        new EngineDefaults(
                                server.login(), workers, "one", "one quota", nth -> TENANT);
                var on =
                        new EngineDefaults(
                                server.login(),
                                workers,
                                "on",
                                "one quota, one of %d keys".formatted(KEYS),
                                nth -> TENANT.quota("customer", "c" + nth % KEYS));
                var beside =
                        new BesideShut(
                                new EngineDefaults(
                                        server.login(),
                                        workers,
                                        "beside",
                                        "beside %,d that wait".formatted(WAITING)),
                                WAITING)) {
            define(one);
            define(on);
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new DrainTrial(server, off),
                                            new DrainTrial(server, one),
                                            new DrainTrial(server, on),
                                            new DrainTrial(server, beside)));
            var ratios = new LinkedHashMap<String, Double>();
            ratios.put("on_over_off", results.ratio("on", "off"));
            ratios.put("one_over_off", results.ratio("one", "off"));
            ratios.put("beside_shut_over_alone", results.ratio("beside", "off"));
            return new Report(
                    "admission",
                    Benchmark.settings(arguments, executions, repetitions, server),
                    Benchmark.table(results),
                    ratios,
                    results.figures());
        }
    }

    private static void define(EngineDefaults engine) {
        engine.store().quotas().define(Quota.atOnce("tenant", ENOUGH), BENCH);
        engine.store().quotas().define(Quota.atOnce("customer", ENOUGH), BENCH);
    }
}
