package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaRecount.Drift;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.MeterRecounter.Wrong;
import io.flowfabric.postgres.internal.catalog.Meters;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** How quotas are kept. */
public final class PostgresQuotas implements Quotas {
    private final PostgresContext postgres;

    public PostgresQuotas(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public QuotaView define(Quota quota, Attribution by) {
        by.mustBeOperator();
        change(quota.namespace(), quota.name(), Optional.of(quota), by);
        return describe(quota.namespace(), QuotaUse.of(quota.name()));
    }

    @Override
    public void delete(Namespace namespace, String quota, Attribution by) {
        by.mustBeOperator();
        change(namespace, quota, Optional.empty(), by);
        postgres.catalog().meters().forgetQuota(namespace, quota);
    }

    private void change(Namespace namespace, String name, Optional<Quota> quota, Attribution by) {
        var meters = postgres.db().transaction(tx -> change(tx, namespace, name, quota, by));
        postgres.freed(meters);
    }

    /** Returns the meters for which something has changed. */
    private List<Integer> change(
            Jdbc tx, Namespace namespace, String name, Optional<Quota> quota, Attribution by) {
        record Locked(int id, JsonObject settings, Optional<Quota> quota) {}
        var locked =
                tx.query("lock_quota")
                        .set("namespace", namespace.name())
                        .set("name", name)
                        .one(
                                row ->
                                        new Locked(
                                                row.intValue("id"),
                                                settings(row),
                                                row.bool("deleted")
                                                        ? Optional.empty()
                                                        : Optional.of(quota(row))));
        if (locked.quota.equals(quota)) {
            return List.of();
        }
        if (quota.isEmpty()) {
            PostgresLanes.mustNotName(tx, namespace, name, null);
            PostgresLanes.renewGenerations(tx, namespace);
        }
        var most = quota.flatMap(Quota::concurrency).orElse(null);
        var rate = quota.flatMap(Quota::rate).map(Quota.Rate::max).orElse(null);
        var span = quota.flatMap(Quota::rate).map(r -> r.window().toMillis()).orElse(null);
        var settings =
                quota.map(q -> SettingsCodec.write(q, locked.settings)).orElse(locked.settings);
        tx.query("change_quota")
                .set("id", locked.id)
                .set("settings", settings.toString())
                .set("concurrency_limit", most)
                .set("rate", rate)
                .set("window_ms", span)
                .set("deleted", quota.isEmpty())
                .update();
        var meters =
                tx.query("change_meters")
                        .set("now", postgres.now())
                        .set("quota", locked.id)
                        .set("concurrency_limit", most)
                        .set("rate", rate)
                        .set("window_ms", span)
                        .list(row -> row.intValue("id"));
        // Under the lock of the meters: what is told of later was counted under the new bounds.
        tx.query("tell_quota")
                .set("now", postgres.now())
                .set("namespace", namespace.name())
                .set("actor", by.actor())
                .set("reason", by.reason())
                .set("payload", EventCodec.details(name, quota).toString())
                .update();
        return meters;
    }

    @Override
    public QuotaView describe(Namespace namespace, QuotaUse use) {
        var quota =
                find(postgres.db(), namespace, use.quota())
                        .orElseThrow(() -> new NotFound("quota", use.quota()));
        return existingMeter(postgres.db(), namespace, use)
                .map(meter -> views(postgres, postgres.db(), List.of(meter)).get(meter))
                .orElseGet(() -> new QuotaView(quota, use, 0, 0, Optional.empty()));
    }

    @Override
    public Page<Quota> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var quotas =
                postgres.db()
                        .query("list_quotas")
                        .set("namespace", namespace.name())
                        .set("after", start)
                        .set("max", max + 1)
                        .list(PostgresQuotas::quota);
        return ListingPages.byName(quotas, max, quota -> quota.name());
    }

    @Override
    public QuotaRecount recount(Namespace namespace) {
        var all = new MeterRecounter(postgres, namespace, MeterRecounter.Of.QUOTAS).recount();
        return new QuotaRecount(
                all.counted(),
                all.drifts().stream()
                        .map(PostgresQuotas::drift)
                        .sorted(Comparator.comparing(Drift::use))
                        .toList());
    }

    private static Drift drift(Wrong wrong) {
        var meter = wrong.meter();
        return new Drift(
                Meters.use(meter.name(), meter.key()),
                meter.said().running(),
                wrong.is().running());
    }

    /** How quotas stand, by the numbers of their meters; those that were deleted are left out. */
    public static Map<Integer, QuotaView> views(
            PostgresContext postgres, Jdbc db, Collection<Integer> meters) {
        var views = new HashMap<Integer, QuotaView>();
        if (!meters.isEmpty()) {
            db.query("meters")
                    .set("now", postgres.now())
                    .ints("ids", meters, meter -> meter)
                    .each(row -> views.put(row.intValue("id"), view(row)));
        }
        return views;
    }

    private static QuotaView view(Row row) {
        var key = row.text("key");
        var quota = quota(row);
        var starts = row.longs("window_starts");
        var counts = row.ints("window_counts");
        long begins = row.longValue("window_begins");
        var counting = new TreeMap<Instant, Integer>();
        for (int i = starts.length - 1; i >= 0 && starts[i] > begins; i--) {
            counting.put(Instant.ofEpochMilli(starts[i]), counts[i]);
        }
        int started = counting.values().stream().mapToInt(Integer::intValue).sum();
        var opens = quota.rate().flatMap(rate -> rate.opens(counting));
        return new QuotaView(
                quota, Meters.use(quota.name(), key), row.intValue("running"), started, opens);
    }

    /** What a meter counts for. */
    private static Quota quota(Row row) {
        return SettingsCodec.quota(
                new Namespace(row.text("namespace")), row.text("name"), settings(row));
    }

    private static JsonObject settings(Row row) {
        return Json.parseObject(row.text("settings"));
    }

    private static Optional<Quota> find(Jdbc db, Namespace namespace, String name) {
        return db.query("quota")
                .set("namespace", namespace.name())
                .set("name", name)
                .optional(PostgresQuotas::quota);
    }

    private static Optional<Integer> existingMeter(Jdbc db, Namespace namespace, QuotaUse use) {
        return db.query("meter_of")
                .set("namespace", namespace.name())
                .set("name", use.quota())
                .set("key", use.key().orElse(""))
                .optional(row -> row.intValue("id"));
    }
}
