package io.flowfabric.postgres;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.contract.BudgetView;
import io.flowfabric.core.contract.Spending;
import io.flowfabric.postgres.jdbc.Jdbc;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** How what a worker used up is counted: in one transaction, under the lock of the execution. */
final class Spendings {
    private final Postgres postgres;

    Spendings(Postgres postgres) {
        this.postgres = postgres;
    }

    /** What is set aside for the holder of a lease. */
    private record Holder(List<Integer> slots, List<Long> holds) {
        long hold(int meter) {
            int place = slots.indexOf(meter);
            return place < 0 ? 0 : holds.get(place);
        }

        void settle(int meter, long amount) {
            int place = slots.indexOf(meter);
            if (place >= 0) {
                holds.set(place, holds.get(place) - amount);
            }
        }
    }

    /**
     * Counts one report, and says how the budget stands then; nothing when the lease is lost.
     *
     * @throws NotFound when there is no such budget or dimension
     * @throws Conflict when its key was used for something else
     */
    Optional<BudgetView> spend(Namespace namespace, Spending spending) {
        var heard = postgres.db().transaction(tx -> heard(tx, namespace, spending));
        if (heard == Heard.BREACH) {
            new Breaches(postgres).cancelAll();
        }
        return heard == Heard.LOST
                ? Optional.empty()
                : Optional.of(new BudgetKeeping(postgres).describe(namespace, spending.budget()));
    }

    /** What came of a report. */
    private enum Heard {
        LOST,
        WITHIN,
        BREACH
    }

    private Heard heard(Jdbc tx, Namespace namespace, Spending spending) {
        var fence = spending.fence();
        var holder =
                tx.query("holder")
                        .set("now", postgres.now())
                        .set("id", fence.execution().uuid())
                        .set("part", fence.execution().partition().number())
                        .set("attempt", fence.attempt())
                        .set("epoch", fence.epoch())
                        .optional(
                                row ->
                                        new Holder(
                                                Stored.slots(row),
                                                row.textOrNull("holds") == null
                                                        ? List.of()
                                                        : new ArrayList<>(
                                                                List.of(row.longs("holds")))));
        if (holder.isEmpty()) {
            return Heard.LOST;
        }
        var chain = Dimension.chain(tx, namespace, spending.budget());
        if (chain.isEmpty()) {
            throw new NotFound("budget", spending.budget());
        }
        var meters = chain.stream().filter(d -> d.name().equals(spending.dimension())).toList();
        if (meters.stream().noneMatch(dimension -> dimension.height() == 0)) {
            throw Dimension.unknown(spending.budget(), spending.dimension());
        }
        return isNew(tx, meters.getFirst().budgetId(), spending)
                        && count(tx, namespace, spending, holder.get(), meters)
                ? Heard.BREACH
                : Heard.WITHIN;
    }

    private boolean isNew(Jdbc tx, int budget, Spending spending) {
        var execution = spending.fence().execution().uuid();
        boolean added =
                tx.query("spend")
                        .set("now", postgres.now())
                        .set("budget", budget)
                        .set("key", spending.key())
                        .set("execution", execution)
                        .set("dimension", spending.dimension())
                        .set("amount", spending.amount())
                        .optional(row -> row.longValue("id"))
                        .isPresent();
        if (added) {
            return true;
        }
        record Before(UUID execution, String dimension, long amount) {}
        var same = new Before(execution, spending.dimension(), spending.amount());
        var before =
                tx.query("spent_before")
                        .set("budget", budget)
                        .set("key", spending.key())
                        .one(
                                row ->
                                        new Before(
                                                row.uuid("execution"),
                                                row.text("dimension"),
                                                row.longValue("amount")));
        if (!before.equals(same)) {
            throw new Conflict(
                    Conflict.Code.SPENT_DIFFERENTLY,
                    spending.key(),
                    "This was reported before, with other content.");
        }
        return false;
    }

    /** Counts a report that was not heard before; says whether a hard limit is reached. */
    private boolean count(
            Jdbc tx,
            Namespace namespace,
            Spending spending,
            Holder holder,
            List<Dimension> dimensions) {
        var byMeter = new HashMap<Integer, Dimension>();
        dimensions.forEach(dimension -> byMeter.put(dimension.meter(), dimension));
        var meters = byMeter.keySet().stream().sorted().toList();
        tx.query("lock_meters").ints("ids", meters, m -> m).list(row -> row.intValue("id"));
        var settled = new HashMap<Integer, Long>();
        for (int meter : meters) {
            long amount = Math.min(spending.amount(), holder.hold(meter));
            holder.settle(meter, amount);
            settled.put(meter, amount);
        }
        if (!holder.holds.isEmpty()) {
            tx.query("hold_less")
                    .set("id", spending.fence().execution().uuid())
                    .longs("holds", holder.holds, hold -> hold)
                    .update();
        }
        record Used(int meter, long used, Optional<Long> soft, Optional<Long> hard) {}
        var used =
                tx.query("use_up")
                        .set("amount", spending.amount())
                        .ints("ids", meters, m -> m)
                        .longs("settled", meters, settled::get)
                        .list(
                                row ->
                                        new Used(
                                                row.intValue("id"),
                                                row.longValue("used"),
                                                Optional.ofNullable(row.longOrNull("soft")),
                                                Optional.ofNullable(row.longOrNull("hard"))));
        var after = new HashMap<Integer, Used>();
        used.forEach(u -> after.put(u.meter, u));
        for (Dimension dimension : dimensions) {
            var now = after.get(dimension.meter());
            if (now != null && !dimension.deleted()) {
                long before = now.used - spending.amount();
                reached(tx, namespace, dimension, false, now.soft, before, now.used);
                reached(tx, namespace, dimension, true, now.hard, before, now.used);
            }
        }
        return used.stream().anyMatch(u -> u.hard.filter(hard -> u.used >= hard).isPresent());
    }

    private void reached(
            Jdbc tx,
            Namespace namespace,
            Dimension dimension,
            boolean hard,
            Optional<Long> bound,
            long before,
            long used) {
        if (bound.filter(limit -> before < limit && used >= limit).isPresent()) {
            tx.query("tell_budget")
                    .set("now", postgres.now())
                    .set("namespace", namespace.name())
                    .set("name", dimension.budget())
                    .set("actor", (String) null)
                    .set("reason", (String) null)
                    .set("settings", reached(dimension.name(), hard, used))
                    .update();
        }
    }

    /** What an event keeps of a limit that was reached. */
    private static String reached(String dimension, boolean hard, long used) {
        return String.join(
                TermsText.SEPARATOR, dimension, Boolean.toString(hard), Long.toString(used));
    }

    static Map.Entry<String, List<String>> read(String settings) {
        var words = List.of(settings.split(TermsText.SEPARATOR, -1));
        return Map.entry(words.getFirst(), words.subList(1, words.size()));
    }
}
