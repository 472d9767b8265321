package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Namespace;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One of the things that a budget counts, with the meter that counts it.
 *
 * @param height how far above the budget that was asked for
 */
public record BudgetDimension(
        int meter, int budgetId, String budget, String name, boolean deleted, int height) {
    /** Those of a budget and of the budgets above it; none when nobody defined it. */
    public static List<BudgetDimension> chain(Jdbc db, Namespace namespace, String budget) {
        var chain =
                db.query("chain")
                        .set("namespace", namespace.name())
                        .set("name", budget)
                        .list(
                                row ->
                                        new BudgetDimension(
                                                row.intValue("id"),
                                                row.intValue("budget"),
                                                row.text("name"),
                                                row.text("dimension"),
                                                row.bool("deleted"),
                                                row.intValue("height")));
        boolean defined = chain.stream().anyMatch(d -> d.height == 0 && !d.deleted);
        return defined ? chain : List.of();
    }

    /** What the budget itself counts, of those in its chain. */
    public static Set<String> names(List<BudgetDimension> chain) {
        return chain.stream()
                .filter(dimension -> dimension.height == 0)
                .map(BudgetDimension::name)
                .collect(Collectors.toSet());
    }
}
