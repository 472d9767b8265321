package io.flowfabric.bench;

import io.flowfabric.bench.contender.Ourselves;
import io.flowfabric.bench.contender.StoreInBatches;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Map;
import java.util.function.Consumer;

/** What is left of the store's own drain when handlers are run as users run them. */
final class WorkerOverStore implements Benchmark {
    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        try (var server = Server.start()) {
            var trials = new ArrayList<DrainTrial>();
            try {
                trials.add(
                        new DrainTrial(
                                server, new StoreInBatches(server.login(), arguments.workers())));
                trials.add(
                        new DrainTrial(
                                server,
                                Ourselves.open(server.login(), arguments.workers(), "worker")));
                var results = new Rounds(executions, repetitions, progress).run(trials);
                return new Report(
                        "worker",
                        Benchmark.settings(arguments, executions, repetitions, server),
                        Benchmark.table(results),
                        Map.of("worker_over_store", results.ratio("worker", "store")),
                        results.figures());
            } finally {
                trials.forEach(trial -> trial.contender().close());
            }
        }
    }
}
