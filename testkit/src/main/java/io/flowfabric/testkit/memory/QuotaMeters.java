package io.flowfabric.testkit.memory;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaRecount.Drift;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.policy.QuotaUse;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What quotas there are, and what counts against them. */
final class QuotaMeters {
    /** In the order of their names, for listings. */
    final Map<Namespace, NavigableMap<String, Quota>> quotas = new HashMap<>();

    private final Map<Place, Meter> meters = new HashMap<>();

    private final MemoryState world;

    private record Place(Namespace namespace, QuotaUse use) {}

    /** What counts against one quota, under one key. */
    private static final class Meter {
        private int running;
        private final List<Instant> starts = new ArrayList<>();
    }

    QuotaMeters(MemoryState world) {
        this.world = world;
    }

    Optional<Quota> quota(Namespace namespace, String name) {
        return Optional.ofNullable(quotas.getOrDefault(namespace, new TreeMap<>()).get(name));
    }

    /** What a row counts against when it starts now. */
    List<QuotaUse> countsAgainst(MemoryExecution row) {
        return world.lanes.settings(row.lane()).countsAgainst(row.policy().quotas());
    }

    /** How the quotas stand that a row counts against, as far as they bound anything. */
    Stream<QuotaView> views(MemoryExecution row, Instant now) {
        var namespace = row.lane().namespace();
        return countsAgainst(row).stream()
                .flatMap(
                        use ->
                                quota(namespace, use.quota())
                                        .map(quota -> view(quota, use, now))
                                        .stream());
    }

    QuotaView view(Quota quota, QuotaUse use, Instant now) {
        var meter = meters.getOrDefault(new Place(quota.namespace(), use), new Meter());
        var counting =
                meter.starts.stream()
                        .filter(
                                at ->
                                        quota.rate()
                                                .filter(r -> r.until(at).isAfter(now))
                                                .isPresent())
                        .toList();
        var opens = quota.rate().flatMap(rate -> rate.opens(byMoment(counting)));
        return new QuotaView(quota, use, meter.running, counting.size(), opens);
    }

    /** When full rates have room again, also those that nothing waits for. */
    Stream<Instant> reopenings() {
        return meters.entrySet().stream()
                .flatMap(
                        entry -> {
                            var place = entry.getKey();
                            return quota(place.namespace, place.use.quota())
                                    .flatMap(Quota::rate)
                                    .flatMap(rate -> rate.opens(byMoment(entry.getValue().starts)))
                                    .stream();
                        });
    }

    private static SortedMap<Instant, Integer> byMoment(List<Instant> starts) {
        var counts = new TreeMap<Instant, Integer>();
        starts.forEach(at -> counts.merge(at, 1, Integer::sum));
        return counts;
    }

    /** Forgets the starts that another definition does not count. */
    void redefined(Namespace namespace, String name, Instant now) {
        var rate = quota(namespace, name).flatMap(Quota::rate);
        meters.forEach(
                (place, meter) -> {
                    if (place.namespace.equals(namespace) && place.use.quota().equals(name)) {
                        meter.starts.removeIf(
                                at -> rate.isEmpty() || !rate.get().until(at).isAfter(now));
                    }
                });
    }

    /** Counts a lease that was just given. */
    void take(MemoryExecution row, boolean starts, Instant now) {
        row.counted = countsAgainst(row);
        for (QuotaUse use : row.counted) {
            var meter = meter(row, use);
            meter.running++;
            var rate = quota(row.lane().namespace(), use.quota()).flatMap(Quota::rate);
            meter.starts.removeIf(at -> rate.isEmpty() || !rate.get().until(at).isAfter(now));
            if (starts && rate.isPresent()) {
                meter.starts.add(rate.get().counted(now));
            }
        }
    }

    /** Forgets a start that came to nothing. */
    void unstart(MemoryExecution row, Instant at) {
        for (QuotaUse use : row.counted) {
            quota(row.lane().namespace(), use.quota())
                    .flatMap(Quota::rate)
                    .ifPresent(rate -> meter(row, use).starts.remove(rate.counted(at)));
        }
    }

    /** Gives back what a lease took that has ended. */
    void give(MemoryExecution row) {
        row.counted.forEach(use -> meter(row, use).running--);
    }

    /** Counts anew what runs, and puts right what says otherwise. */
    QuotaRecount recount(Namespace namespace, List<MemoryExecution> rows) {
        var truth = new HashMap<QuotaUse, Integer>();
        rows.stream()
                .filter(row -> row.owner.isPresent() && row.lane().namespace().equals(namespace))
                .flatMap(row -> row.counted.stream())
                .forEach(use -> truth.merge(use, 1, Integer::sum));
        var drifts = new TreeMap<QuotaUse, Drift>();
        int counted = 0;
        for (var entry : meters.entrySet()) {
            var use = entry.getKey().use;
            if (entry.getKey().namespace.equals(namespace)) {
                counted++;
                int runs = truth.getOrDefault(use, 0);
                int said = entry.getValue().running;
                if (said != runs) {
                    drifts.put(use, new Drift(use, said, runs));
                    entry.getValue().running = runs;
                }
            }
        }
        return new QuotaRecount(counted, List.copyOf(drifts.values()));
    }

    private Meter meter(MemoryExecution row, QuotaUse use) {
        return meters.computeIfAbsent(
                new Place(row.lane().namespace(), use), unknown -> new Meter());
    }
}
