package io.flowfabric.bench;

import io.flowfabric.bench.peer.Peer;
import io.flowfabric.bench.peer.PeerProcess;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/** How fast a stored backlog gets done by the product and by what teams would use instead. */
final class Peers implements Benchmark {
    private static final int EXECUTIONS_QUICKLY = 20_000;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        try (var server = Server.start()) {
            var trials = new ArrayList<PeerTrial>();
            try {
                for (var peer : Peer.values()) {
                    var process = PeerProcess.start(peer, server.login(), arguments.workers());
                    trials.add(new PeerTrial(peer, new DrainTrial(server, process)));
                }
                var results = new Rounds(executions, repetitions, progress).run(trials);
                return new Report(
                        "peers",
                        Benchmark.settings(arguments, executions, repetitions, server),
                        table(results, executions),
                        ratios(results),
                        results.figures());
            } finally {
                trials.forEach(trial -> trial.drain.contender().close());
            }
        }
    }

    private static Map<String, Double> ratios(Results results) {
        var ratios = new LinkedHashMap<String, Double>();
        for (var peer : Peer.values()) {
            if (peer != Peer.FLOWFABRIC) {
                ratios.put("over_" + peer.key(), over(results, peer));
            }
        }
        return ratios;
    }

    private static double over(Results results, Peer peer) {
        return results.ratio(Peer.FLOWFABRIC.key(), peer.key());
    }

    private static Table table(Results results, int executions) {
        var table =
                new Table(
                        "",
                        "backlog",
                        "executions/s",
                        "slowest..fastest",
                        "FlowFabric is x",
                        "WAL bytes",
                        "commits");
        for (var peer : Peer.values()) {
            var series = results.series(peer.key());
            table.row(
                    peer.title(),
                    "%,d".formatted(peer.share(executions)),
                    "%,.0f".formatted(series.perSecond()),
                    "%,.0f..%,.0f".formatted(series.slowest(), series.fastest()),
                    "%.1f".formatted(over(results, peer)),
                    "%,.0f".formatted(series.walBytesEach()),
                    "%.2f".formatted(series.commitsEach()));
        }
        return table;
    }

    /** A peer that drains its share of the backlog. */
    private record PeerTrial(Peer peer, DrainTrial drain) implements Trial {
        @Override
        public String key() {
            return drain.key();
        }

        @Override
        public String name() {
            return drain.name();
        }

        @Override
        public Run run(int executions) throws SQLException, InterruptedException {
            return drain.run(peer.share(executions));
        }
    }
}
