package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Tags;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.feed.Event;
import io.flowfabric.testkit.memory.BudgetAccounts.Purse;

import java.util.List;
import java.util.Optional;

/** How budgets are kept. */
final class MemoryBudgets implements Budgets {
    private final MemoryState world;

    MemoryBudgets(MemoryState world) {
        this.world = world;
    }

    @Override
    public BudgetView define(Budget budget, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var purse = defined(budget, by);
                    world.breaches.cancelAll();
                    return purse.view();
                });
    }

    private Purse defined(Budget budget, Attribution by) {
        var namespace = budget.namespace();
        budget.parent()
                .filter(above -> world.purses.find(namespace, above).isEmpty())
                .ifPresent(
                        above -> {
                            throw new NotFound("budget", above);
                        });
        var purse =
                world.purses.in(namespace).computeIfAbsent(budget.name(), n -> new Purse(budget));
        if (!purse.budget.dimensions().keySet().equals(budget.dimensions().keySet())
                || !purse.budget.parent().equals(budget.parent())) {
            throw Conflicts.budgetTaken(budget.name());
        }
        boolean known = purse.resets.isPresent() == budget.period().isPresent();
        if (!known || !purse.budget.period().equals(budget.period())) {
            purse.resets = budget.period().map(period -> world.now().plus(period));
        }
        purse.budget = budget;
        purse.deleted = false;
        tell(namespace, budget.name(), "define", by);
        return purse;
    }

    @Override
    public BudgetView describe(Namespace namespace, String budget) {
        return world.call(() -> purse(namespace, budget).view());
    }

    @Override
    public Page<Budget> list(Namespace namespace, Cursor after, int max) {
        return world.call(
                () -> {
                    var start = ListingPages.nameAfter(after);
                    return ListingPages.byName(
                            world.purses.in(namespace).tailMap(start, false).values().stream()
                                    .filter(purse -> !purse.deleted)
                                    .map(purse -> purse.budget)
                                    .toList(),
                            max,
                            budget -> budget.name());
                });
    }

    @Override
    public BudgetView reset(Namespace namespace, String budget, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var purse = purse(namespace, budget);
                    world.purses.reset(purse);
                    tell(namespace, budget, "reset", by);
                    return purse.view();
                });
    }

    @Override
    public void delete(Namespace namespace, String budget, Attribution by) {
        by.mustBeOperator();
        world.call(
                () -> {
                    world.lanes.mustNotBeNamed(
                            namespace,
                            "the budget " + budget,
                            lane ->
                                    lane.budgets().stream()
                                            .anyMatch(use -> use.budget().equals(budget)));
                    world.purses
                            .find(namespace, budget)
                            .ifPresent(
                                    purse -> {
                                        purse.deleted = true;
                                        purse.resets = Optional.empty();
                                        tell(namespace, budget, "delete", by);
                                    });
                    return budget;
                });
    }

    @Override
    public List<UsageEntry> ledger(ExecutionId execution) {
        return world.call(
                () ->
                        List.copyOf(
                                world.purses.ledger.getOrDefault(
                                        world.executions.find(execution).id(), List.of())));
    }

    @Override
    public UsageEntry refund(ExecutionId execution, String budget, String key, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var row = world.executions.find(execution);
                    var ledger = world.purses.ledger.getOrDefault(row.id(), List.of());
                    var spent =
                            ledger.stream()
                                    .filter(s -> s.budget().equals(budget) && s.key().equals(key))
                                    .findFirst()
                                    .orElseThrow(() -> new NotFound("spending", key));
                    if (spent.refunded()) {
                        return spent;
                    }
                    var refunded =
                            new UsageEntry(
                                    spent.budget(),
                                    spent.dimension(),
                                    spent.amount(),
                                    spent.key(),
                                    spent.at(),
                                    true);
                    ledger.set(ledger.indexOf(spent), refunded);
                    world.purses.refund(row, spent);
                    tell(row.lane().namespace(), budget, "refund", by);
                    return refunded;
                });
    }

    @Override
    public BudgetRecount recount(Namespace namespace) {
        return world.call(
                () -> {
                    var recount = world.purses.recount(namespace);
                    if (!recount.drifts().isEmpty()) {
                        world.wakeups.wakeAll(namespace);
                    }
                    recount.drifts().forEach(drift -> tell(namespace, drift));
                    return recount;
                });
    }

    private void tell(Namespace namespace, BudgetRecount.Drift drift) {
        world.log.append(
                new Event.Drifted(namespace, drift.of(), drift.said(), drift.held(), world.now()),
                Tags.NONE);
    }

    private Purse purse(Namespace namespace, String budget) {
        return world.purses
                .find(namespace, budget)
                .orElseThrow(() -> new NotFound("budget", budget));
    }

    private void tell(Namespace namespace, String budget, String change, Attribution by) {
        world.log.append(
                new Event.BudgetChange(namespace, budget, change, by, world.now()), Tags.NONE);
        world.wakeups.wakeAll(namespace);
    }
}
