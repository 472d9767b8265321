package io.flowfabric.core.decision;

import io.flowfabric.core.NotFound;
import io.flowfabric.core.policy.BudgetUse;

import java.util.Collection;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Whether the quotas, budgets and dimensions exist that a policy or a lane names. */
public final class Definitions {
    private Definitions() {}

    /**
     * Refuses a name that has no definition; quotas are looked at first.
     *
     * @param quota whether there is a quota of this name
     * @param dimensions what the budget of a name counts; nothing when there is no such budget
     * @throws NotFound for the first one that does not exist
     */
    public static void mustExist(
            Collection<String> quotas,
            Collection<BudgetUse> budgets,
            Predicate<String> quota,
            Function<String, Set<String>> dimensions) {
        for (String name : quotas) {
            if (!quota.test(name)) {
                throw new NotFound("quota", name);
            }
        }
        for (BudgetUse use : budgets) {
            mustCount(use.budget(), dimensions.apply(use.budget()), use.reserve().keySet());
        }
    }

    /**
     * Refuses a dimension that a budget does not count.
     *
     * @param dimensions what it counts; nothing when there is no such budget
     * @throws NotFound for the budget, or for the first dimension that is missing
     */
    public static void mustCount(String budget, Set<String> dimensions, Collection<String> wanted) {
        if (dimensions.isEmpty()) {
            throw new NotFound("budget", budget);
        }
        for (String dimension : wanted) {
            if (!dimensions.contains(dimension)) {
                throw NotFound.dimension(budget, dimension);
            }
        }
    }
}
