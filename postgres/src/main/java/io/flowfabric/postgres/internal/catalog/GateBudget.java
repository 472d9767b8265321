package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.policy.BudgetUse;

import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A budget that work behind a gate draws on. How much of it is reserved each execution says itself,
 * in the order of the gate's budgets and their dimensions: so any number of different amounts wait
 * behind one gate.
 *
 * @param reserved the dimensions of which something is set aside, in their order
 */
public record GateBudget(String budget, List<String> reserved) {
    public GateBudget {
        reserved = List.copyOf(reserved);
    }

    /** The budgets of a policy, without its amounts. */
    public static List<GateBudget> of(SortedSet<BudgetUse> uses) {
        return uses.stream()
                .map(use -> new GateBudget(use.budget(), List.copyOf(use.reserve().keySet())))
                .toList();
    }

    /** The amounts of a policy, without its budgets. */
    public static List<Long> amounts(SortedSet<BudgetUse> uses) {
        return uses.stream().flatMap(use -> use.reserve().values().stream()).toList();
    }

    /** How many amounts work has that draws on these budgets. */
    static int amountsOf(List<GateBudget> budgets) {
        return budgets.stream().mapToInt(budget -> budget.reserved.size()).sum();
    }

    /** The budgets of a policy again, of their amounts. */
    static SortedSet<BudgetUse> uses(List<GateBudget> budgets, List<Long> amounts) {
        var next = amounts.iterator();
        var uses = new TreeSet<BudgetUse>();
        for (GateBudget budget : budgets) {
            var reserve = new TreeMap<String, Long>();
            budget.reserved.forEach(dimension -> reserve.put(dimension, next.next()));
            uses.add(new BudgetUse(budget.budget, reserve));
        }
        return uses;
    }

    Json write() {
        var named = JsonObject.EMPTY.with("budget", Json.of(budget));
        return reserved.isEmpty() ? named : named.with("reserved", Json.ofStrings(reserved));
    }

    static GateBudget read(Json json) {
        var fields = json.asObject();
        return new GateBudget(
                fields.require("budget", Json::asString),
                fields.get("reserved", names -> names.asList(Json::asString)).orElse(List.of()));
    }
}
