package io.flowfabric.postgres.internal.catalog;

import io.flowfabric.core.Digest;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;

import java.util.List;
import java.util.SortedSet;

/**
 * What work needs before it may start.
 *
 * @param timed whether an attempt can time out or stall
 * @param budgets those that it draws on; each execution says how much it reserves of them
 */
public record Gate(
        String kind,
        Capabilities needs,
        boolean timed,
        SortedSet<QuotaUse> quotas,
        List<GateBudget> budgets,
        Metering metering) {
    byte[] digest() {
        var digest = Digest.of("gate").text(kind).number(needs.words().size());
        needs.words().forEach(digest::text);
        digest.number(timed ? 1 : 0).number(meters().size());
        meters().forEach(digest::number);
        // Two policies may come to the same, and are still to be read back as they were.
        budgets.forEach(budget -> digest.text(budget.write().toString()));
        metering.leads().forEach(lead -> digest.number(lead.reservation()).number(lead.meter()));
        return RowCodec.bytes(digest.done());
    }

    /** The numbers of what its quotas and budgets count it against. */
    public List<Integer> meters() {
        return metering.meters();
    }

    /** How many amounts an execution behind it reserves. */
    public int reservations() {
        return GateBudget.amountsOf(budgets);
    }

    /** The budgets of an execution behind it that reserves so much of them. */
    public SortedSet<BudgetUse> budgets(List<Long> reserve) {
        return GateBudget.uses(budgets, reserve);
    }
}
