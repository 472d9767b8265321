package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetRecount.Drift;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts anew what is set aside of the budgets of a namespace, as {@link QuotaRecounter} does. */
public final class BudgetRecounter {
    private static final Logger log = LoggerFactory.getLogger(BudgetRecounter.class);

    /** Whoever counts against one of these waits until they are counted. */
    private static final int AT_ONCE = 1000;

    private final PostgresContext postgres;
    private final Namespace namespace;

    public BudgetRecounter(PostgresContext postgres, Namespace namespace) {
        this.postgres = postgres;
        this.namespace = namespace;
    }

    /**
     * What is set aside in a meter.
     *
     * @param running for how much that runs
     */
    private record Aside(long held, int running) {
        static final Aside NOTHING = new Aside(0, 0);
    }

    private record Meter(int id, String budget, String dimension, Aside said) {}

    private record Wrong(Meter meter, Aside is) {
        Drift drift() {
            return new Drift(meter.budget, meter.dimension, meter.said.held, is.held);
        }
    }

    private record Counted(List<Meter> meters, List<Wrong> wrong) {}

    public BudgetRecount recount() {
        int counted = 0;
        var drifts = new ArrayList<Drift>();
        int after = 0;
        while (true) {
            int last = after;
            var some = postgres.db().transaction(tx -> count(tx, last));
            counted += some.meters.size();
            some.wrong.forEach(this::tell);
            some.wrong.stream()
                    .map(Wrong::drift)
                    .filter(drift -> drift.said() != drift.held())
                    .forEach(drifts::add);
            // One that said too much has kept others waiting.
            postgres.freed(some.wrong.stream().map(wrong -> wrong.meter.id).toList());
            if (some.meters.size() < AT_ONCE) {
                return new BudgetRecount(counted, drifts);
            }
            after = some.meters.getLast().id;
        }
    }

    private void tell(Wrong wrong) {
        log.warn(
                "The budget {} in {} said {} {} set aside for {}, and it is {} for {}: put right.",
                wrong.meter.budget,
                namespace,
                wrong.meter.said.held,
                wrong.meter.dimension,
                wrong.meter.said.running,
                wrong.is.held,
                wrong.is.running);
    }

    private Counted count(Jdbc tx, int after) {
        var meters =
                tx.query("lock_next_dimensions")
                        .set("namespace", namespace.name())
                        .set("after", after)
                        .set("limit", AT_ONCE)
                        .list(
                                row ->
                                        new Meter(
                                                row.intValue("id"),
                                                row.text("name"),
                                                row.text("key"),
                                                new Aside(
                                                        row.longValue("held"),
                                                        row.intValue("running"))));
        var truth = holds(tx, meters);
        var wrong =
                meters.stream()
                        .map(m -> new Wrong(m, truth.getOrDefault(m.id, Aside.NOTHING)))
                        .filter(w -> !w.is.equals(w.meter.said))
                        .toList();
        if (!wrong.isEmpty()) {
            tx.query("correct_dimensions")
                    .ints("ids", wrong, w -> w.meter.id)
                    .longs("helds", wrong, w -> w.is.held)
                    .ints("runnings", wrong, w -> w.is.running)
                    .update();
            wrong.stream()
                    .map(Wrong::drift)
                    .filter(drift -> drift.said() != drift.held())
                    .forEach(drift -> tell(tx, drift));
        }
        return new Counted(meters, wrong);
    }

    private void tell(Jdbc tx, Drift drift) {
        QuotaRecounter.tell(postgres, tx, namespace, drift.of(), drift.said(), drift.held());
    }

    private static Map<Integer, Aside> holds(Jdbc tx, List<Meter> meters) {
        var holds = new HashMap<Integer, Aside>();
        tx.query("count_holds")
                .ints("ids", meters, Meter::id)
                .each(
                        row ->
                                holds.put(
                                        row.intValue("id"),
                                        new Aside(row.longValue("held"), row.intValue("running"))));
        return holds;
    }
}
