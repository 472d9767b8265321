package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.query.Fact;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How budgets stand, with those above them. Each is read once, when it is first asked for: work
 * that waits for one of them may reserve thousands of different amounts.
 */
public final class BudgetChains {
    private final Jdbc db;
    private final Map<Chain, List<BudgetView>> chains = new HashMap<>();

    private record Chain(Namespace namespace, String budget) {}

    public BudgetChains(Jdbc db) {
        this.db = db;
    }

    /** How those stand that work draws on. */
    public Stream<Fact.Budget> facts(Namespace namespace, Collection<BudgetUse> uses) {
        return uses.stream()
                .flatMap(
                        use ->
                                chains
                                        .computeIfAbsent(
                                                new Chain(namespace, use.budget()),
                                                chain ->
                                                        BudgetReader.chain(
                                                                db, namespace, use.budget()))
                                        .stream()
                                        .map(view -> new Fact.Budget(view, use)));
    }

    /** What they leave nothing for, in words; nothing when there is room. */
    public Optional<String> shortage(Namespace namespace, Collection<BudgetUse> uses) {
        return facts(namespace, uses).filter(budget -> !budget.open()).findFirst().map(Fact::words);
    }
}
