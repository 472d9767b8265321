package io.flowfabric.bench;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.contender.DbScheduler;
import io.flowfabric.bench.contender.EngineDefaults;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** How fast one thread stores work, in chunks of a thousand. */
final class Submit implements Benchmark {

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(Drain.EXECUTIONS, Drain.EXECUTIONS_QUICKLY);
        int repetitions = arguments.repetitionsOr(Drain.REPETITIONS, Drain.REPETITIONS_QUICKLY);
        try (var server = Server.start();
                var engine = new EngineDefaults(server.login(), arguments.workers());
                var dbScheduler = new DbScheduler(server.login(), arguments.workers())) {
            var results =
                    new Rounds(executions, repetitions, progress)
                            .run(
                                    List.of(
                                            new SubmitTrial(server, engine),
                                            new SubmitTrial(server, dbScheduler)));
            return new Report(
                    "submit",
                    Benchmark.settings(arguments, executions, repetitions, server),
                    Benchmark.table(results),
                    Map.of("submit_over_dbscheduler", results.ratio("default", "dbscheduler")),
                    results.figures());
        }
    }

    /** Makes sure that everything was stored. */
    static void check(Contender contender, int executions) throws SQLException {
        if (contender.ready() != executions) {
            throw new IllegalStateException(
                    "%s stored %,d of %,d executions."
                            .formatted(contender.name(), contender.ready(), executions));
        }
    }

    /** One contender, storing work that nobody does meanwhile. */
    record SubmitTrial(Server server, Contender contender) implements Trial {
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
            check(contender, executions);
            contender.clear();
            return new Run(executions, time, used.walBytes(), used.commits());
        }
    }
}
