package io.flowfabric.bench;

import io.flowfabric.bench.report.Latencies;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * How soon a worker that waits begins with what was submitted in a transaction, counted from the
 * commit; and with what was submitted through the engine, counted from the call.
 */
final class Enqueue implements Benchmark {
    private static final int TIMES = 1_000;
    private static final int TIMES_QUICKLY = 200;
    private static final int WARM_UP = 100;

    /** How long the transaction beside stays open. */
    private static final Duration OPEN = Duration.ofMinutes(1);

    /** Every so many transactions one is rolled back, and nothing may come of it. */
    private static final int ROLLED_BACK = 10;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int times = arguments.executionsOr(TIMES, TIMES_QUICKLY);
        try (var server = Server.start();
                var worker = new WaitingWorker(server.login(), arguments.workers());
                var caller = server.login().connect();
                var other = server.login().connect()) {
            caller.setAutoCommit(false);
            other.setAutoCommit(false);
            progress.accept("warming up");
            both(worker, caller, Math.min(times, WARM_UP), Duration.ZERO);
            server.settle();
            progress.accept("%,d of each, one after the other".formatted(times));
            var alone = both(worker, caller, times, Duration.ZERO);
            // In the same lane, so that whoever had to wait for it would.
            worker.enqueue(other);
            progress.accept("the same, beside a transaction that stays open");
            var beside = both(worker, caller, times, arguments.quick() ? Duration.ZERO : OPEN);
            other.rollback();
            worker.verify();
            return new Report(
                    "enqueue",
                    Benchmark.settings(arguments, times, 1, server),
                    table(alone, beside),
                    ratios(alone, beside),
                    figures(alone, beside));
        }
    }

    /** What was measured side by side. */
    private record Both(Latencies enqueued, Latencies submitted) {}

    /** At least so many of each, and for at least so long. */
    private static Both both(WaitingWorker worker, Connection caller, int times, Duration length)
            throws SQLException, InterruptedException {
        var enqueued = new Latencies();
        var submitted = new Latencies();
        long began = System.nanoTime();
        for (int i = 0; i < times || System.nanoTime() - began < length.toNanos(); i++) {
            if (i % ROLLED_BACK == 0) {
                worker.enqueue(caller);
                caller.rollback();
            }
            worker.enqueue(caller);
            worker.awaitParked();
            enqueued.add(worker.nanosUntilStartOf(caller::commit));
            worker.awaitParked();
            submitted.add(worker.nanosUntilStartOf(worker::submit));
        }
        return new Both(enqueued, submitted);
    }

    private static Table table(Both alone, Both beside) {
        var table = new Table("until the handler starts, ms", "p50", "p99", "longest");
        row(table, "from the commit of a transaction", alone.enqueued);
        row(table, "the same beside an open one", beside.enqueued);
        row(table, "from the call of submit", alone.submitted);
        row(table, "the same beside an open one", beside.submitted);
        return table;
    }

    private static void row(Table table, String name, Latencies latencies) {
        table.row(
                name,
                "%.1f".formatted(latencies.millis(0.5)),
                "%.1f".formatted(latencies.millis(0.99)),
                "%.1f".formatted(latencies.millis(1)));
    }

    private static Map<String, Double> ratios(Both alone, Both beside) {
        var ratios = new LinkedHashMap<String, Double>();
        ratios.put("enqueue_p50_ms", alone.enqueued.millis(0.5));
        ratios.put("enqueue_p99_ms", alone.enqueued.millis(0.99));
        ratios.put("enqueue_beside_open_p99_ms", beside.enqueued.millis(0.99));
        ratios.put("submit_p50_ms", alone.submitted.millis(0.5));
        ratios.put("submit_p99_ms", alone.submitted.millis(0.99));
        ratios.put("submit_beside_open_p99_ms", beside.submitted.millis(0.99));
        return ratios;
    }

    private static Map<String, Object> figures(Both alone, Both beside) {
        var figures = new LinkedHashMap<String, Object>();
        figures.put("enqueue_ms", alone.enqueued.millis());
        figures.put("enqueue_beside_open_ms", beside.enqueued.millis());
        figures.put("submit_ms", alone.submitted.millis());
        figures.put("submit_beside_open_ms", beside.submitted.millis());
        return figures;
    }
}
