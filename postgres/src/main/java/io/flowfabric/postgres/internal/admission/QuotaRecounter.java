package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.QuotaRecount;
import io.flowfabric.core.admission.QuotaRecount.Drift;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts anew what runs against the meters of a namespace, some of them in each transaction. */
public final class QuotaRecounter {
    private static final Logger log = LoggerFactory.getLogger(QuotaRecounter.class);

    /** Whoever counts against one of these waits until they are counted. */
    private static final int AT_ONCE = 1000;

    private final PostgresContext postgres;
    private final Namespace namespace;

    public QuotaRecounter(PostgresContext postgres, Namespace namespace) {
        this.postgres = postgres;
        this.namespace = namespace;
    }

    private record Meter(int id, QuotaUse use, int said) {}

    /** A meter that was wrong. */
    private record Wrong(int id, Drift drift) {}

    private record Counted(List<Meter> meters, List<Wrong> wrong) {}

    public QuotaRecount recount() {
        int counted = 0;
        var drifts = new ArrayList<Drift>();
        int after = 0;
        while (true) {
            int last = after;
            var some = postgres.db().transaction(tx -> count(tx, last));
            counted += some.meters.size();
            some.wrong.forEach(wrong -> drifts.add(wrong.drift));
            // One that said too much has kept others waiting.
            postgres.freed(some.wrong.stream().map(Wrong::id).toList());
            if (some.meters.size() < AT_ONCE) {
                break;
            }
            after = some.meters.getLast().id;
        }
        drifts.sort(Comparator.comparing(Drift::use));
        drifts.forEach(
                drift ->
                        log.warn(
                                "The quota {} in {} said that {} run, and {} do; it is put right.",
                                drift.use(),
                                namespace,
                                drift.said(),
                                drift.runs()));
        return new QuotaRecount(counted, drifts);
    }

    private Counted count(Jdbc tx, int after) {
        var meters =
                tx.query("lock_next_meters")
                        .set("namespace", namespace.name())
                        .set("after", after)
                        .set("limit", AT_ONCE)
                        .list(
                                row ->
                                        new Meter(
                                                row.intValue("id"),
                                                Catalog.use(row.text("name"), row.text("key")),
                                                row.intValue("running")));
        var truth = running(tx, meters);
        var wrong =
                meters.stream()
                        .filter(meter -> meter.said != truth.getOrDefault(meter.id, 0))
                        .map(
                                meter ->
                                        new Wrong(
                                                meter.id,
                                                new Drift(
                                                        meter.use,
                                                        meter.said,
                                                        truth.getOrDefault(meter.id, 0))))
                        .toList();
        if (!wrong.isEmpty()) {
            tx.query("correct_meters")
                    .ints("ids", wrong, Wrong::id)
                    .ints("runnings", wrong, meter -> meter.drift.runs())
                    .update();
            wrong.forEach(
                    meter ->
                            tell(
                                    postgres,
                                    tx,
                                    namespace,
                                    "quota " + meter.drift.use(),
                                    meter.drift.said(),
                                    meter.drift.runs()));
        }
        return new Counted(meters, wrong);
    }

    /** Puts into the log what was put right, in the same transaction. */
    public static void tell(
            PostgresContext postgres,
            Jdbc tx,
            Namespace namespace,
            String of,
            long said,
            long found) {
        tx.query("tell_drift")
                .set("now", postgres.now())
                .set("namespace", namespace.name())
                .set("payload", EventCodec.details(of, said, found).toString())
                .update();
    }

    private static Map<Integer, Integer> running(Jdbc tx, List<Meter> meters) {
        var running = new HashMap<Integer, Integer>();
        tx.query("count_slots")
                .ints("ids", meters, Meter::id)
                .each(row -> running.put(row.intValue("id"), row.intValue("running")));
        return running;
    }
}
