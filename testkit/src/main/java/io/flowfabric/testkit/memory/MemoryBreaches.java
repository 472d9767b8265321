package io.flowfabric.testkit.memory;

import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.decision.BudgetDecisions;
import io.flowfabric.testkit.memory.BudgetAccounts.Purse;

import java.util.Optional;

/** While a budget that cancels is breached, nothing that draws on it runs. */
final class MemoryBreaches {
    private final MemoryState world;

    MemoryBreaches(MemoryState world) {
        this.world = world;
    }

    /** Cancels what runs and should not, no more than so many, and says how many. */
    int cancel(int limit) {
        int cancelled = 0;
        for (MemoryExecution row : world.executions.rows()) {
            var breach = row.owner.isPresent() ? breach(row) : Optional.<String>empty();
            if (breach.isPresent() && cancelled < limit) {
                world.steps.apply(
                        row, BudgetDecisions.cancel(row.facts(), breach.get(), world.now()));
                cancelled++;
            }
        }
        return cancelled;
    }

    void cancelAll() {
        int unused = cancel(Integer.MAX_VALUE);
    }

    /** What is breached of the budgets that a row draws on, by name, if it is to be cancelled. */
    private Optional<String> breach(MemoryExecution row) {
        return world.purses
                .drawn(row)
                .filter(purse -> !purse.deleted)
                .filter(purse -> purse.budget.enforcement() == Enforcement.CANCEL)
                .map(Purse::view)
                .flatMap(view -> view.breach().stream())
                .sorted()
                .findFirst();
    }
}
