package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What executions used up, as they reported it. */
final class ValkeyLedger {
    /** How many reports one call tells of. */
    private static final int PORTION = 1000;

    private final ValkeyContext valkey;

    ValkeyLedger(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** The reports of an execution, in their order. */
    private record Reports(Namespace namespace, List<UsageEntry> entries, Instant now) {}

    List<UsageEntry> of(ExecutionId execution) {
        return valkey.at(execution, home -> read(home, execution).entries);
    }

    UsageEntry refund(ExecutionId execution, String budget, String key, Attribution by) {
        return valkey.at(execution, home -> refund(home, execution, budget, key, by));
    }

    private UsageEntry refund(
            Partition home, ExecutionId execution, String budget, String key, Attribution by) {
        var reports = read(home, execution);
        var spent =
                reports.entries.stream()
                        .filter(one -> one.budget().equals(budget) && one.key().equals(key))
                        .findFirst()
                        .orElseThrow(() -> new NotFound("spending", key));
        if (!spent.refunded()) {
            var namespace = reports.namespace;
            var change = ValkeyBudgets.change(namespace, budget, "refund", by, reports.now);
            // Whoever was faster has refunded it.
            valkey.call(
                    "refund",
                    valkey.home(namespace),
                    out ->
                            out.list(5)
                                    .uuid(execution.uuid())
                                    .text(namespace.name())
                                    .text(budget)
                                    .text(key)
                                    .packed(change));
        }
        return new UsageEntry(
                spent.budget(), spent.dimension(), spent.amount(), spent.key(), spent.at(), true);
    }

    /** What an execution has reported; that is kept where the budgets of its namespace are. */
    private Reports read(Partition home, ExecutionId execution) {
        var reports = read(home, execution, Optional.empty());
        var main = valkey.home(reports.namespace);
        return main.equals(home) ? reports : read(main, execution, Optional.of(reports.namespace));
    }

    private Reports read(Partition home, ExecutionId execution, Optional<Namespace> apart) {
        var entries = new ArrayList<UsageEntry>();
        while (true) {
            var told =
                    valkey.read(
                            "ledger",
                            home,
                            out ->
                                    out.list(5)
                                            .uuid(execution.uuid())
                                            .number(execution.partition().number())
                                            .number(entries.size())
                                            .number(PORTION)
                                            .optional(apart, (o, it) -> o.text(it.name())));
            var answer = told.answer();
            if (!(answer.at(0) instanceof Item.Truth)) {
                throw answer.at(0).text().equals("unreadable")
                        ? StoreFailure.unreadable(
                                "The execution " + execution,
                                new IllegalStateException("what is stored of it is damaged"))
                        : new NotFound("execution", execution.toString());
            }
            entries.addAll(answer.at(2).list(ValkeyLedger::entry));
            if (!answer.at(3).truth()) {
                return new Reports(new Namespace(answer.at(1).text()), entries, told.now());
            }
        }
    }

    private static UsageEntry entry(Item report) {
        return new UsageEntry(
                report.at(0).text(),
                report.at(1).text(),
                report.at(2).number(),
                report.at(3).text(),
                report.at(4).moment(),
                report.at(5).truth());
    }
}
