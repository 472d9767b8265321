package io.flowfabric.bench;

import io.flowfabric.bench.report.Latencies;
import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.PostgresStore;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;

/** How a reader of a feed comes back after it was away for long. */
final class FeedCatchUp implements Benchmark {
    /** Each has three events. */
    private static final int EXECUTIONS = 6_670_000;

    private static final int EXECUTIONS_QUICKLY = 200_000;
    private static final int CHUNK = 50_000;

    /** The week of which events are kept: a table for each day. */
    private static final int DAYS = 7;

    /** As much as a follower asks for. */
    private static final int PAGE = 1000;

    private static final int CAUGHT_UP = 2_000_000;
    private static final FeedFilter EVERYTHING = FeedFilter.of(FeedFilter.Topic.EVERYTHING);

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int executions = arguments.executionsOr(EXECUTIONS, EXECUTIONS_QUICKLY);
        try (var server = Server.start()) {
            Cursor away;
            try (var store = PostgresStore.open(server.login().options())) {
                store.submissions().submit(List.of(Submission.of("noop", Payload.EMPTY)));
                away = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
                progress.accept("writing %,d events".formatted(3L * executions));
                fill(server, store, executions);
            }
            progress.accept("a reader comes back");
            try (var store = PostgresStore.open(server.login().options())) {
                return report(arguments, server, executions, store.feeds(), away);
            }
        }
    }

    /** A week of events, with retention at work beside it as in every engine. */
    private static void fill(Server server, PostgresStore store, int executions)
            throws SQLException {
        var session = Session.of("bench", "1", "default").ttl(Duration.ofHours(1));
        store.sessions().open(session);
        for (int from = 0; from < executions; from += CHUNK) {
            int to = Math.min(executions, from + CHUNK);
            int day = (int) ((long) from * DAYS / executions);
            server.execute(
                    """
                    insert into flowfabric.event_%d
                        (at, lane, part, execution, transition, situation, attempts, epoch, session)
                    select
                        extract(epoch from now()) * 1000, (select min(id) from flowfabric.lane), 0,
                        ('018f' || lpad(to_hex(n), 28, '0'))::uuid, step::flowfabric.transition,
                        situation::flowfabric.situation, attempts, attempts, session::uuid
                    from generate_series(%d, %d) as n
                    cross join (values
                        ('submit', 'ready', 0, null),
                        ('claim', 'running', 1, '%4$s'),
                        ('complete', 'completed', 1, '%4$s')) as life (step, situation, attempts, session)
                    """
                            .formatted(day, from + 1, to, session.id().uuid()));
            store.maintenance().tick(Chore.RETENTION, 1000);
        }
    }

    private static Report report(
            Arguments arguments, Server server, int executions, Feeds feeds, Cursor away)
            throws SQLException {
        var pages = new Latencies();
        long begun = System.nanoTime();
        double firstMillis = 0;
        int read = 0;
        for (var next = away; read < Math.min(CAUGHT_UP, 3L * executions); ) {
            long asked = System.nanoTime();
            var batch = feeds.read(EVERYTHING, next, PAGE);
            pages.add(System.nanoTime() - asked);
            if (read == 0) {
                firstMillis = (System.nanoTime() - begun) / 1e6;
            }
            read += batch.entries().size();
            next = batch.next();
        }
        double perSecond = read / ((System.nanoTime() - begun) / 1e9);
        var table = new Table("", "first ms", "median ms", "p99 ms", "longest ms", "events/s");
        table.row(
                "pages of %d, %,d events behind".formatted(PAGE, 3L * executions),
                "%.1f".formatted(firstMillis),
                "%.1f".formatted(pages.millis(0.5)),
                "%.1f".formatted(pages.millis(0.99)),
                "%.1f".formatted(pages.millis(1)),
                "%,.0f".formatted(perSecond));
        var ratios = new LinkedHashMap<String, Double>();
        ratios.put("page_ms_after_%dm".formatted(3L * executions / 1_000_000), firstMillis);
        ratios.put("events_per_s", perSecond);
        return new Report(
                "catchup",
                Benchmark.settings(arguments, executions, 1, server),
                table,
                ratios,
                new LinkedHashMap<>());
    }
}
