package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.Meters;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts anew what runs against the meters of a namespace and what is set aside in them, some of
 * them in each transaction, and puts right what is wrong.
 */
final class MeterRecounter {
    private static final Logger log = LoggerFactory.getLogger(MeterRecounter.class);

    /** Work that starts or ends against one of these waits until they are counted. */
    private static final int AT_ONCE = 1000;

    private final PostgresContext postgres;
    private final Namespace namespace;
    private final Of kind;

    MeterRecounter(PostgresContext postgres, Namespace namespace, Of kind) {
        this.postgres = postgres;
        this.namespace = namespace;
        this.kind = kind;
    }

    /** What the meters belong to. */
    enum Of {
        /** Quotas, whose meters tell how much runs. */
        QUOTAS("lock_next_meters") {
            @Override
            String words(Meter meter) {
                return "quota " + Meters.use(meter.name, meter.key);
            }

            @Override
            long told(Count count) {
                return count.running;
            }
        },
        /** Budgets, whose meters tell how much is set aside. */
        BUDGETS("lock_next_dimensions") {
            @Override
            String words(Meter meter) {
                return "budget %s: %s".formatted(meter.name, meter.key);
            }

            @Override
            long told(Count count) {
                return count.held;
            }
        };

        private final String lockNext;

        Of(String lockNext) {
            this.lockNext = lockNext;
        }

        abstract String words(Meter meter);

        abstract long told(Count count);
    }

    /**
     * What counts against a meter.
     *
     * @param held how much is set aside for what runs; nothing in the meter of a quota
     */
    record Count(int running, long held) {
        private static final Count NOTHING = new Count(0, 0);

        private static Count of(Row row) {
            return new Count(row.intValue("running"), row.longValue("reserved"));
        }
    }

    /**
     * A meter with what it said.
     *
     * @param name of its quota or budget
     * @param key of the quota, or dimension of the budget
     */
    record Meter(int id, String name, String key, Count said) {}

    /** A meter that was wrong, with what is right. */
    record Wrong(Meter meter, Count is) {}

    /**
     * What came of it.
     *
     * @param counted how many meters were counted
     * @param drifts those that told something wrong
     */
    record Recounted(int counted, List<Wrong> drifts) {}

    private record Some(List<Meter> meters, List<Wrong> wrong) {}

    Recounted recount() {
        int counted = 0;
        var drifts = new ArrayList<Wrong>();
        int after = 0;
        while (true) {
            int last = after;
            var some = postgres.db().transaction(tx -> count(tx, last));
            counted += some.meters.size();
            some.wrong.forEach(this::warn);
            some.wrong.stream().filter(this::drifted).forEach(drifts::add);
            // One that said too much has kept work waiting.
            postgres.freed(some.wrong.stream().map(wrong -> wrong.meter.id).toList());
            if (some.meters.size() < AT_ONCE) {
                return new Recounted(counted, drifts);
            }
            after = some.meters.getLast().id;
        }
    }

    private Some count(Jdbc tx, int after) {
        var meters = lockNext(tx, after);
        var truth = truth(tx, meters);
        var wrong =
                meters.stream()
                        .map(m -> new Wrong(m, truth.getOrDefault(m.id, Count.NOTHING)))
                        .filter(w -> !w.is.equals(w.meter.said))
                        .toList();
        if (!wrong.isEmpty()) {
            tx.query("correct_meters")
                    .ints("ids", wrong, w -> w.meter.id)
                    .ints("runnings", wrong, w -> w.is.running)
                    .longs("reserveds", wrong, w -> w.is.held)
                    .update();
            wrong.stream().filter(this::drifted).forEach(w -> tell(tx, w));
        }
        return new Some(meters, wrong);
    }

    private boolean drifted(Wrong wrong) {
        return kind.told(wrong.meter.said) != kind.told(wrong.is);
    }

    private List<Meter> lockNext(Jdbc tx, int after) {
        return tx.query(kind.lockNext)
                .set("namespace", namespace.name())
                .set("after", after)
                .set("limit", AT_ONCE)
                .list(
                        row ->
                                new Meter(
                                        row.intValue("id"),
                                        row.text("name"),
                                        row.text("key"),
                                        Count.of(row)));
    }

    private static Map<Integer, Count> truth(Jdbc tx, List<Meter> meters) {
        var truth = new HashMap<Integer, Count>();
        tx.query("count_meters")
                .ints("ids", meters, Meter::id)
                .each(row -> truth.put(row.intValue("id"), Count.of(row)));
        return truth;
    }

    /** Puts into the log what was put right, in the same transaction. */
    private void tell(Jdbc tx, Wrong wrong) {
        var details =
                EventCodec.details(
                        kind.words(wrong.meter), kind.told(wrong.meter.said), kind.told(wrong.is));
        tx.query("tell_drift")
                .set("now", postgres.now())
                .set("namespace", namespace.name())
                .set("payload", details.toString())
                .update();
    }

    private void warn(Wrong wrong) {
        log.warn(
                "The {} in {} said {} running and {} set aside, and it is {} and {}: put right.",
                kind.words(wrong.meter),
                namespace,
                wrong.meter.said.running,
                wrong.meter.said.held,
                wrong.is.running,
                wrong.is.held);
    }
}
