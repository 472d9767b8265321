package io.flowfabric.bench;

import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.contender.UnderSnapshot;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What a snapshot costs that somebody holds open elsewhere while a backlog is drained. */
final class HeldSnapshot implements Benchmark {

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        int workers = arguments.workers();
        try (var server = Server.start();
                var free = new EngineDefaults(server.login(), workers, "free", "no snapshot");
                var held = new EngineDefaults(server.login(), workers, "held", "a snapshot held")) {
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new DrainTrial(server, free),
                                            new DrainTrial(
                                                    server,
                                                    new UnderSnapshot(held, server.login()))));
            return new Report(
                    "drain --held-snapshot",
                    Benchmark.settings(arguments, executions, repetitions, server),
                    Benchmark.table(results),
                    Map.of("held_over_free", results.ratio("held", "free")),
                    results.figures());
        }
    }
}
