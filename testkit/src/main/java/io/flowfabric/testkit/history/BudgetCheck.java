package io.flowfabric.testkit.history;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Asks whether work started behind a budget whose hard limit had been reached, before it was raised
 * or reset. What a claim beside the last report still admitted is not told from that, so that only
 * starts later than the slack count.
 */
final class BudgetCheck implements RunCheck {
    private final Notes notes;
    private final Expectations expected;
    private final Map<Name, Budget> budgets = new HashMap<>();
    private final Map<Name, Instant> reached = new HashMap<>();

    private record Name(Namespace namespace, String budget) {}

    BudgetCheck(Notes notes, Expectations expected) {
        this.notes = notes;
        this.expected = expected;
        expected.budgets()
                .forEach(
                        budget -> budgets.put(new Name(budget.namespace(), budget.name()), budget));
    }

    @Override
    public void next(Event event) {
        switch (event) {
            case Event.BudgetReached limit -> {
                var name = new Name(limit.namespace(), limit.budget());
                if (limit.hard() && stops(name)) {
                    reached.putIfAbsent(name, limit.at());
                }
            }
            case Event.BudgetChange change ->
                    reached.remove(new Name(change.namespace(), change.budget()));
            case Step step -> {
                if (takes(step.transition())) {
                    start(step);
                }
            }
            case Event other -> {}
        }
    }

    private boolean stops(Name name) {
        var budget = budgets.get(name);
        return budget != null && budget.enforcement().stops() && budget.period().isEmpty();
    }

    private static boolean takes(Transition transition) {
        return transition == Transition.CLAIM
                || transition == Transition.RECLAIM
                || transition == Transition.GRANT;
    }

    private void start(Step step) {
        var uses =
                notes.work(step.execution()).stream().flatMap(w -> w.policy().budgets().stream());
        uses.map(BudgetUse::budget)
                .flatMap(budget -> withParents(step.namespace(), budget).stream())
                .filter(reached::containsKey)
                .filter(name -> step.at().isAfter(since(name).plus(expected.slack())))
                .findFirst()
                .ifPresent(
                        name ->
                                notes.complain(
                                        Kind.BUDGET_EXCEEDED,
                                        step.execution(),
                                        ("%s at %s draws on budget %s, whose limit was reached at"
                                                        + " %s.")
                                                .formatted(
                                                        step.transition(),
                                                        step.at(),
                                                        name.budget,
                                                        since(name))));
    }

    private Instant since(Name name) {
        return reached.getOrDefault(name, Instant.MAX);
    }

    private List<Name> withParents(Namespace namespace, String first) {
        var chain = new ArrayList<Name>();
        for (var name = new Name(namespace, first); !chain.contains(name); ) {
            chain.add(name);
            var budget = budgets.get(name);
            if (budget != null && budget.parent().isPresent()) {
                name = new Name(namespace, budget.parent().get());
            }
        }
        return chain;
    }
}
