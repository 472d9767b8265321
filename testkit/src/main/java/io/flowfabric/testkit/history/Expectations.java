package io.flowfabric.testkit.history;

import io.flowfabric.core.admission.Budget;

import java.time.Duration;
import java.util.List;

/**
 * What a run with engines and workers that really run is held to, beyond what is true of any run.
 *
 * @param slack how late a timer may fire, a dead session's work may return and ready work may start
 *     while no fault is on and a worker that fits has room
 * @param places how many leases every worker holds at once before it asks for no more
 * @param budgets as they are bounded during the whole run; those with a period are not judged
 * @param faults when something was broken on purpose
 */
public record Expectations(Duration slack, int places, List<Budget> budgets, Faults faults) {
    public Expectations {
        budgets = List.copyOf(budgets);
    }

    /** A run in which work may be late by so much, and nothing was broken. */
    public static Expectations slack(Duration slack) {
        return new Expectations(slack, 1, List.of(), new Faults());
    }

    /** These expectations of workers that hold so many leases at once. */
    public Expectations places(int count) {
        return new Expectations(slack, count, budgets, faults);
    }

    /** These expectations with budgets that keep their bounds during the whole run. */
    public Expectations budgets(List<Budget> known) {
        return new Expectations(slack, places, known, faults);
    }
}
