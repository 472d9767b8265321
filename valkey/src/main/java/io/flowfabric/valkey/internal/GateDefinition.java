package io.flowfabric.valkey.internal;

import io.flowfabric.core.NotFound;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.SortedSet;

/** What work needs before it may start, as {@code gates.lua} knows it. */
record GateDefinition(
        String kind, String needs, SortedSet<QuotaUse> quotas, SortedSet<BudgetUse> budgets) {
    static GateDefinition of(String kind, Policy policy) {
        return new GateDefinition(
                kind, policy.needs().toString(), policy.quotas(), policy.budgets());
    }

    void write(Packer out) {
        out.list(4)
                .text(kind)
                .text(needs)
                .list(quotas, (o, use) -> o.text(name(use)))
                .list(budgets, GateDefinition::write);
    }

    /** Budgets with the dimensions that they must have. */
    static void writeNeeded(Packer out, SortedSet<BudgetUse> budgets) {
        out.list(
                budgets,
                (o, use) -> {
                    o.list(1 + use.reserve().size()).text(use.budget());
                    use.reserve().keySet().forEach(o::text);
                });
    }

    /** What is missing, as {@code gates.lua} tells it. */
    static NotFound missing(Item told) {
        return switch (told.at(0).text()) {
            case "no_quota" -> new NotFound("quota", told.at(1).text());
            case "no_budget" -> new NotFound("budget", told.at(1).text());
            case "no_dimension" -> NotFound.dimension(told.at(1).text(), told.at(2).text());
            default -> throw Item.unreadable(told.at(0).text());
        };
    }

    static String name(QuotaUse use) {
        return use.quota() + "\0" + use.key().orElse("");
    }

    static void write(Packer out, BudgetUse use) {
        out.list(2).text(use.budget()).list(2 * use.reserve().size());
        use.reserve().forEach((dimension, amount) -> out.text(dimension).number(amount));
    }
}
