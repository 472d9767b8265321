package io.flowfabric.bench;

import io.flowfabric.bench.contender.OneAtATime;
import io.flowfabric.bench.contender.WatchedSessions;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.policy.Policy;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What it costs many sessions that all of their work counts against one quota: each of them claims
 * one execution at a time, and ends it at once.
 */
final class ManySessions implements Benchmark {
    private static final int SESSIONS = 200;
    private static final int EXECUTIONS = 20_000;
    private static final int EXECUTIONS_QUICKLY = 3_000;
    private static final int REPETITIONS = 3;
    private static final int REPETITIONS_QUICKLY = 1;

    /** As many connections as a store has by default, and as many as a large pool. */
    private static final List<Integer> CONNECTIONS = List.of(8, 50);

    /** No quota, one that holds nothing back, and one that holds nearly everything back. */
    private static final List<Integer> PLACES = List.of(0, 1000, 5);

    private static final Attribution BENCH = new Attribution("bench", "to measure it");

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(REPETITIONS, REPETITIONS_QUICKLY);
        try (var server = Server.start()) {
            var contenders = new ArrayList<WatchedSessions>();
            try {
                for (int connections : CONNECTIONS) {
                    for (int places : PLACES) {
                        contenders.add(contender(server, connections, places));
                    }
                }
                var trials = contenders.stream().map(c -> new DrainTrial(server, c)).toList();
                var results = new Rounds(executions, repetitions, progress).run(trials);
                return new Report(
                        "sessions",
                        Benchmark.settings(arguments, executions, repetitions, server),
                        table(results, contenders),
                        ratios(results),
                        results.figures());
            } finally {
                contenders.forEach(WatchedSessions::close);
            }
        }
    }

    private static WatchedSessions contender(Server server, int connections, int places)
            throws SQLException {
        var contender =
                OneAtATime.many(
                        server.login(),
                        SESSIONS,
                        connections,
                        key(places, connections),
                        "%d connections, %s"
                                .formatted(
                                        connections, places == 0 ? "no quota" : places + " places"),
                        places == 0 ? Policy.DEFAULT : Policy.DEFAULT.quota("busy"));
        if (places > 0) {
            contender.store().quotas().define(Quota.atOnce("busy", places), BENCH);
        }
        return new WatchedSessions(contender, server.login());
    }

    private static String key(int places, int connections) {
        return "%s_%d".formatted(places == 0 ? "none" : "places_" + places, connections);
    }

    private static Map<String, Double> ratios(Results results) {
        var ratios = new LinkedHashMap<String, Double>();
        for (int connections : CONNECTIONS) {
            for (int places : PLACES) {
                if (places > 0) {
                    ratios.put(
                            "sessions_%d_places_over_none_%d_connections"
                                    .formatted(places, connections),
                            results.ratio(key(places, connections), key(0, connections)));
                }
            }
        }
        return ratios;
    }

    private static Table table(Results results, List<WatchedSessions> contenders) {
        var table =
                new Table(
                        "",
                        "executions/s",
                        "slowest..fastest",
                        "empty claims",
                        "commits",
                        "waiting for a lock");
        for (var contender : contenders) {
            var series = results.series(contender.key());
            table.row(
                    contender.name(),
                    "%,.0f".formatted(series.perSecond()),
                    "%,.0f..%,.0f".formatted(series.slowest(), series.fastest()),
                    "%.2f".formatted(contender.emptyClaimsEach()),
                    "%.2f".formatted(series.commitsEach()),
                    "%.1f".formatted(contender.lockWaits()));
        }
        return table;
    }
}
