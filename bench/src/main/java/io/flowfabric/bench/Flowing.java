package io.flowfabric.bench;

import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.store.Store;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.valkey.ValkeyStore;

import java.io.IOException;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What flows cost: how soon a member follows another, how many chains get done, how soon a thousand
 * that lost a race are called off, and how fast one large graph gets done beside plain work.
 */
final class Flowing implements Benchmark {
    private static final int CHAINS = 1_000;
    private static final int CHAINS_QUICKLY = 200;
    private static final int AT_ONCE = 100;

    /** So few chains that no member waits for others. */
    private static final int HARDLY_BUSY = 4;

    private static final int RACES = 20;
    private static final int RACES_QUICKLY = 5;

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        return switch (arguments.store()) {
            case POSTGRES -> {
                try (var server = Server.start();
                        var store = PostgresStore.open(server.login().options())) {
                    var settings = Benchmark.settings(arguments, chains(arguments), 1, server);
                    yield measured(store, "flows", settings, arguments, progress);
                }
            }
            case VALKEY -> {
                try (var server = RedisServer.start();
                        var store = ValkeyStore.open(server.options())) {
                    var settings =
                            Benchmark.settings(arguments, chains(arguments), 1, server.settings());
                    yield measured(store, "flows on Valkey", settings, arguments, progress);
                }
            }
        };
    }

    private static int chains(Arguments arguments) {
        return arguments.executionsOr(CHAINS, CHAINS_QUICKLY);
    }

    private static Report measured(
            Store store,
            String title,
            Map<String, Object> settings,
            Arguments arguments,
            Consumer<String> progress)
            throws InterruptedException {
        var figures = new LinkedHashMap<String, Double>();
        var table = new Table("", "figure");

        progress.accept("chains of ten, a hundred at once");
        var chains = FlowingRuns.chains(store, chains(arguments), AT_ONCE, arguments.workers());
        figures.put("hop_p50_ms", chains.hops().median());
        figures.put("hop_p99_ms", chains.hops().at(0.99));
        figures.put("chains_per_s", chains.perSecond());
        table.row("from a member to the next, median ms", "%.2f".formatted(chains.hops().median()));
        table.row("p99 ms", "%.2f".formatted(chains.hops().at(0.99)));
        table.row("chains of ten/s", "%,.0f".formatted(chains.perSecond()));

        progress.accept("chains of ten, four at once");
        int few = chains(arguments) / 5;
        var alone = FlowingRuns.chains(store, few, HARDLY_BUSY, arguments.workers());
        figures.put("hop_alone_p50_ms", alone.hops().median());
        figures.put("hop_alone_p99_ms", alone.hops().at(0.99));
        table.row("the same of four chains, ms", "%.2f".formatted(alone.hops().median()));
        table.row("p99 ms", "%.2f".formatted(alone.hops().at(0.99)));

        int races = arguments.quick() ? RACES_QUICKLY : RACES;
        progress.accept("%d races of a thousand, of which one wins".formatted(races));
        var called = FlowingRuns.races(store, races);
        figures.put("cancel_1000_p50_ms", called.median());
        figures.put("cancel_1000_p99_ms", called.at(0.99));
        table.row("a thousand losers called off, median ms", "%.1f".formatted(called.median()));
        table.row("p99 ms", "%.1f".formatted(called.at(0.99)));

        progress.accept("a flow of ten thousand, and as many on their own");
        var large = FlowingRuns.large(store, arguments.workers());
        figures.put("submit_10k_s", large.submitSeconds());
        figures.put("flow_per_s", large.flowPerSecond());
        figures.put("flow_over_plain", large.flowPerSecond() / large.plainPerSecond());
        table.row("ten thousand members submitted, s", "%.2f".formatted(large.submitSeconds()));
        table.row("its members done/s", "%,.0f".formatted(large.flowPerSecond()));
        table.row("plain work done/s", "%,.0f".formatted(large.plainPerSecond()));
        return new Report(title, settings, table, figures, new LinkedHashMap<>());
    }
}
