package io.flowfabric.bench;

import io.flowfabric.bench.report.Report;
import io.flowfabric.bench.report.Table;
import io.flowfabric.bench.server.Server;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.PostgresStore;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * What a claim takes beside many keys of one quota: while all of them have work, and when they had
 * some once.
 */
final class ManyKeys implements Benchmark {
    private static final int KEYS = 10_000;
    private static final int KEYS_ONCE = 100_000;
    private static final int KEYS_ONCE_QUICKLY = 10_000;
    private static final int EACH = 5;
    private static final int CLAIM = 64;
    private static final int CLAIMS = 100;
    private static final Attribution BENCH = new Attribution("bench", "to measure it");

    @Override
    public Report run(Arguments arguments, Consumer<String> progress)
            throws IOException, SQLException, InterruptedException {
        int once = arguments.executionsOr(KEYS_ONCE, KEYS_ONCE_QUICKLY);
        try (var server = Server.start();
                var store = PostgresStore.open(server.login().options())) {
            store.quotas().define(Quota.atOnce("customer", 1), BENCH);
            store.quotas().define(Quota.atOnce("team", KEYS), BENCH);

            progress.accept("%,d keys with %d executions each".formatted(KEYS, EACH));
            submit(store, "busy", KEYS * EACH, nth -> key("customer", "c" + nth % KEYS));
            server.settle();
            double[] busy = claims(store, "busy", "busy");
            progress.accept("one key has %,d executions ahead of the others".formatted(KEYS));
            submit(store, "behind", KEYS, nth -> key("customer", "first"));
            submit(store, "behind", KEYS, nth -> key("customer", "d" + nth));
            server.settle();
            double[] behind = claims(store, "behind", "behind");

            progress.accept("%,d keys that once had work".formatted(once));
            for (int from = 0; from < once; from += KEYS) {
                int first = from;
                int many = Math.min(KEYS, once - from);
                submit(store, "past", many, nth -> key("customer", "p" + (first + nth)));
                drain(store, "past", "drain-" + from);
            }
            submit(store, "past", CLAIM * CLAIMS, nth -> key("team", "now"));
            submit(store, "none", CLAIM * CLAIMS, nth -> key("team", "now"));
            server.settle();
            double[] none = claims(store, "none", "none");
            double[] past = claims(store, "past", "past");

            var ratios = new LinkedHashMap<String, Double>();
            ratios.put("claim_ms_10k_keys", median(busy));
            ratios.put("claim_ms_10k_keys_p90", percentile(busy, 0.9));
            ratios.put("claim_ms_10k_keys_behind_one", median(behind));
            ratios.put(
                    "claim_past_%dk_over_none".formatted(once / 1000), median(past) / median(none));
            var table = new Table("", "median ms", "slowest tenth from");
            row(table, "%,d keys with work".formatted(KEYS), busy);
            row(table, "behind one that has most of it", behind);
            row(table, "one key, after %,d others".formatted(once), past);
            row(table, "one key, after no others", none);
            return new Report(
                    "keys",
                    Benchmark.settings(arguments, once, 1, server),
                    table,
                    ratios,
                    new LinkedHashMap<>());
        }
    }

    private static void row(Table table, String name, double[] millis) {
        table.row(
                name, "%.1f".formatted(median(millis)), "%.1f".formatted(percentile(millis, 0.9)));
    }

    private static Policy key(String quota, String key) {
        return Policy.DEFAULT.quota(quota, key);
    }

    private static void submit(Store store, String lane, int many, IntFunction<Policy> policy) {
        var all =
                IntStream.range(0, many)
                        .mapToObj(
                                nth ->
                                        Submission.of("noop", Payload.EMPTY)
                                                .lane(Lane.of(lane))
                                                .policy(policy.apply(nth)))
                        .toList();
        for (int from = 0; from < many; from += 1000) {
            store.submissions()
                    .submit(all.subList(from, Math.min(many, from + 1000)))
                    .forEach(Answer::orThrow);
        }
    }

    /** How long each of some claims takes whose work is ended before the next. */
    private static double[] claims(Store store, String lane, String instance) {
        var session = Session.of("bench", instance, lane).ttl(Duration.ofHours(1));
        store.sessions().open(session);
        var millis = new double[CLAIMS];
        for (int claim = 0; claim < CLAIMS; claim++) {
            long begun = System.nanoTime();
            var leases = store.claims().claim(new Claim(session.id(), claim + 1L, CLAIM)).leases();
            millis[claim] = (System.nanoTime() - begun) / 1e6;
            end(store, leases);
        }
        return millis;
    }

    private static void drain(Store store, String lane, String instance) {
        var session = Session.of("bench", instance, lane).ttl(Duration.ofHours(1));
        store.sessions().open(session);
        long number = 0;
        List<Lease> leases;
        do {
            leases = store.claims().claim(new Claim(session.id(), ++number, 256)).leases();
            end(store, leases);
        } while (!leases.isEmpty());
    }

    private static void end(Store store, List<Lease> leases) {
        var endings = new ArrayList<Ending>();
        leases.forEach(lease -> endings.add(new Ending.Complete(lease.fence(), Payload.EMPTY)));
        if (!endings.isEmpty()) {
            store.leases().end(endings).forEach(Answer::orThrow);
        }
    }

    private static double median(double[] values) {
        return percentile(values, 0.5);
    }

    private static double percentile(double[] values, double part) {
        var sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[(int) Math.floor(part * (sorted.length - 1))];
    }
}
