package io.flowfabric.valkey.internal;

import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A gate that ready work waits behind, with what that needs.
 *
 * @param number the number of the gate
 * @param lane the number of its lane
 */
record WaitingGate(
        int number,
        int lane,
        String kind,
        Capabilities needs,
        SortedSet<QuotaUse> quotas,
        SortedSet<BudgetUse> budgets) {
    /** A gate, as {@code query.lua} tells of it. */
    static WaitingGate read(int lane, Item told) {
        return new WaitingGate(
                told.at(0).small(),
                lane,
                told.at(1).text(),
                Capabilities.parse(told.at(2).text()),
                new TreeSet<>(told.at(3).list(WaitingGate::quotaUse)),
                new TreeSet<>(told.at(4).list(WaitingGate::budgetUse)));
    }

    private static QuotaUse quotaUse(Item stored) {
        var text = stored.text();
        int end = text.indexOf('\0');
        var key = Optional.of(text.substring(end + 1)).filter(word -> !word.isEmpty());
        return new QuotaUse(text.substring(0, end), key);
    }

    private static BudgetUse budgetUse(Item stored) {
        var reserve = new TreeMap<String, Long>();
        var amounts = stored.at(1).list();
        for (int i = 0; i + 1 < amounts.size(); i += 2) {
            reserve.put(amounts.get(i).text(), amounts.get(i + 1).number());
        }
        return new BudgetUse(stored.at(0).text(), reserve);
    }

    /** How much is ready behind it. */
    static long count(Item told) {
        return told.at(5).number();
    }
}
