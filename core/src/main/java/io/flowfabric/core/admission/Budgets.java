package io.flowfabric.core.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;

import java.util.List;

/** How much may be used up, and what was. */
public interface Budgets {
    /**
     * Defines a budget, or changes its bounds, its period or what a breach does, from now on.
     *
     * @throws io.flowfabric.core.NotFound when there is no such parent
     * @throws io.flowfabric.core.Conflict when it lives with other dimensions or another parent
     */
    BudgetView define(Budget budget, Attribution by);

    /**
     * How a budget stands.
     *
     * @throws io.flowfabric.core.NotFound when it was not defined
     */
    BudgetView describe(Namespace namespace, String budget);

    /** The budgets of a namespace, by name. */
    Page<Budget> list(Namespace namespace, Cursor after, int max);

    /** Begins at zero again, now; what is set aside stays so. */
    BudgetView reset(Namespace namespace, String budget, Attribution by);

    /**
     * Takes the bounds away. Work that draws on the budget is no longer held back, and new work
     * cannot name it. Deleting again is success.
     *
     * @throws io.flowfabric.core.Conflict while a lane names it
     */
    void delete(Namespace namespace, String budget, Attribution by);

    /** What an execution used up, as reported, in order. */
    List<UsageEntry> ledger(ExecutionId execution);

    /**
     * Takes a report back. Doing so again is success.
     *
     * @throws io.flowfabric.core.NotFound when the execution reported nothing under this key
     */
    UsageEntry refund(ExecutionId execution, String budget, String key, Attribution by);

    /**
     * Counts anew what is set aside of each budget of a namespace, from the work that runs, and
     * puts right what says otherwise. It is exact beside claims, reports and endings, which wait
     * for it where they count against the same budgets.
     *
     * <p>What was used is not counted anew: there is nothing to count it from. The reports go with
     * their executions when these are forgotten, while what they used stays used; and a reset keeps
     * the reports, while what they used is forgotten.
     */
    BudgetRecount recount(Namespace namespace);
}
