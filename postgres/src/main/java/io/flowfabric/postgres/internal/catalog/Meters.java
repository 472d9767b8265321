package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.Definitions;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Meters by their numbers, and which of them work counts against. */
public final class Meters {
    private final Map<Meter, Integer> numbers = new ConcurrentHashMap<>();
    private final Map<Purse, List<BudgetDimension>> chains = new ConcurrentHashMap<>();

    /** What counts together. */
    private record Meter(Namespace namespace, QuotaUse use) {}

    private record Purse(Namespace namespace, String budget) {}

    void forgetAll() {
        numbers.clear();
        chains.clear();
    }

    /** What a policy names may have been removed or deleted. */
    void forget(Namespace namespace, Policy policy) {
        policy.quotas().forEach(use -> numbers.remove(new Meter(namespace, use)));
        policy.budgets().forEach(use -> forgetBudget(namespace, use.budget()));
    }

    /** Makes the meters that these policies count against and that there are not, all at once. */
    public void make(Jdbc db, Namespace namespace, Collection<QuotaUse> uses) {
        var unknown =
                uses.stream()
                        .filter(use -> !numbers.containsKey(new Meter(namespace, use)))
                        .collect(Collectors.toSet());
        if (unknown.isEmpty()) {
            return;
        }
        Remembered.trim(numbers.keySet());
        find(db, namespace, unknown);
        if (!unknown.isEmpty()) {
            // Only those: what is there already would use up a number.
            asked(db.query("add_meters"), namespace, unknown).update();
            find(db, namespace, unknown);
        }
    }

    /** Learns the numbers of those that there are, and leaves the others. */
    private void find(Jdbc db, Namespace namespace, Set<QuotaUse> unknown) {
        asked(db.query("meters_by_name"), namespace, List.copyOf(unknown))
                .each(
                        row -> {
                            var use = use(row.text("name"), row.text("key"));
                            unknown.remove(use);
                            numbers.put(new Meter(namespace, use), row.intValue("id"));
                        });
    }

    private static Query asked(Query query, Namespace namespace, Collection<QuotaUse> uses) {
        return query.set("namespace", namespace.name())
                .texts("names", uses, QuotaUse::quota)
                .texts("keys", uses, use -> use.key().orElse(""));
    }

    /**
     * What a policy counts work of a namespace against; meters are made where there are none.
     *
     * @throws NotFound when it names a quota, a budget or a dimension that nobody defined
     */
    public Metering metering(Jdbc db, Namespace namespace, Policy policy) {
        var draft = new Metering.Draft();
        for (QuotaUse use : policy.quotas()) {
            draft.count(number(db, namespace, use));
        }
        int reservation = 0;
        for (BudgetUse use : policy.budgets()) {
            var chain = chain(db, namespace, use);
            draft.count(chain);
            for (String dimension : use.reserve().keySet()) {
                draft.lead(++reservation, chain, dimension);
            }
        }
        return draft.done();
    }

    /**
     * A gate as it stands in a lane: with what the lane says for everything that starts from it.
     */
    public GateInLane within(Jdbc db, LaneView lane, Gate gate) {
        var settings = lane.settings();
        var namespace = lane.lane().namespace();
        var draft = Metering.Draft.of(gate.metering());
        var lanes = new TreeMap<String, Map<String, Long>>();
        settings.budgets().forEach(use -> lanes.put(use.budget(), new TreeMap<>(use.reserve())));
        var floors = new ArrayList<Long>();
        for (GateBudget budget : gate.budgets()) {
            var floor = lanes.getOrDefault(budget.budget(), new TreeMap<>());
            budget.reserved()
                    .forEach(
                            dimension ->
                                    floors.add(
                                            Objects.requireNonNullElse(
                                                    floor.remove(dimension), 0L)));
        }
        for (String quota : settings.quotas()) {
            draft.count(number(db, namespace, QuotaUse.of(quota)));
        }
        for (BudgetUse use : settings.budgets()) {
            var chain = chain(db, namespace, use);
            draft.count(chain);
            // What is left here the lane alone reserves.
            Objects.requireNonNull(lanes.get(use.budget()))
                    .forEach(
                            (dimension, amount) -> {
                                floors.add(amount);
                                draft.lead(floors.size(), chain, dimension);
                            });
        }
        return new GateInLane(draft.done(), floors);
    }

    /**
     * The number of what counts together, which is made if there is none.
     *
     * @throws NotFound when nobody defined the quota
     */
    public int number(Jdbc db, Namespace namespace, QuotaUse use) {
        var meter = new Meter(namespace, use);
        var known = numbers.get(meter);
        if (known != null) {
            return known;
        }
        int number =
                meterOf(db, namespace, use).orElseThrow(() -> new NotFound("quota", use.quota()));
        Remembered.trim(numbers.keySet());
        numbers.put(meter, number);
        return number;
    }

    private List<BudgetDimension> chain(Jdbc db, Namespace namespace, BudgetUse use) {
        var key = new Purse(namespace, use.budget());
        var known = chains.get(key);
        var chain = known != null ? known : BudgetDimension.chain(db, namespace, use.budget());
        Definitions.mustCount(use.budget(), BudgetDimension.names(chain), use.reserve().keySet());
        Remembered.trim(chains.keySet());
        chains.put(key, chain);
        return chain;
    }

    /** A quota was deleted: work that names it is to be refused. */
    public void forgetQuota(Namespace namespace, String quota) {
        numbers.keySet()
                .removeIf(m -> m.namespace.equals(namespace) && m.use.quota().equals(quota));
    }

    /** A budget was deleted: work that names it is to be refused. */
    public void forgetBudget(Namespace namespace, String budget) {
        chains.remove(new Purse(namespace, budget));
    }

    public static QuotaUse use(String quota, String key) {
        return new QuotaUse(quota, Optional.of(key).filter(k -> !k.isEmpty()));
    }

    private static Optional<Integer> existingMeter(Jdbc db, Namespace namespace, QuotaUse use) {
        return db.query("meter_of")
                .set("namespace", namespace.name())
                .set("name", use.quota())
                .set("key", use.key().orElse(""))
                .optional(row -> row.intValue("id"));
    }

    /** The number of a meter, which is made if there is none; nothing without its quota. */
    private static Optional<Integer> meterOf(Jdbc db, Namespace namespace, QuotaUse use) {
        var found = existingMeter(db, namespace, use);
        // One that was made just now may be removed again, because it has no work yet.
        for (int tries = 0; found.isEmpty() && tries < 3; tries++) {
            int made =
                    db.query("add_meter")
                            .set("namespace", namespace.name())
                            .set("name", use.quota())
                            .set("key", use.key().orElse(""))
                            .update();
            found = existingMeter(db, namespace, use);
            if (made == 0) {
                break;
            }
        }
        return found;
    }
}
