package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.BudgetDimension;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import java.util.List;
import java.util.Map;

/** What executions have reported, and how it is taken back. */
public final class UsageLedger {
    private final PostgresContext postgres;

    public UsageLedger(PostgresContext postgres) {
        this.postgres = postgres;
    }

    private record Refunded(long report, String dimension, long amount) {}

    public List<UsageEntry> of(ExecutionId execution) {
        namespaceOf(postgres.db(), execution);
        return entries(execution);
    }

    private List<UsageEntry> entries(ExecutionId execution) {
        return postgres.db()
                .query("ledger")
                .set("execution", execution.uuid())
                .list(
                        row ->
                                new UsageEntry(
                                        row.text("budget"),
                                        row.text("dimension"),
                                        row.longValue("amount"),
                                        row.text("key"),
                                        RowCodec.moment(row, "at"),
                                        row.bool("refunded")));
    }

    public UsageEntry refund(ExecutionId execution, String budget, String key, Attribution by) {
        var namespace = namespaceOf(postgres.db(), execution);
        var meters =
                postgres.db().transaction(tx -> refund(tx, namespace, execution, budget, key, by));
        postgres.freed(meters);
        return entries(execution).stream()
                .filter(spent -> spent.budget().equals(budget) && spent.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new NotFound("spending", key));
    }

    private List<Integer> refund(
            Jdbc tx,
            Namespace namespace,
            ExecutionId execution,
            String budget,
            String key,
            Attribution by) {
        var refunded =
                tx.query("refund")
                        .set("namespace", namespace.name())
                        .set("name", budget)
                        .set("execution", execution.uuid())
                        .set("key", key)
                        .optional(
                                row ->
                                        new Refunded(
                                                row.longValue("id"),
                                                row.text("dimension"),
                                                row.longValue("amount")));
        if (refunded.isEmpty()) {
            return List.of();
        }
        var meters =
                BudgetDimension.chain(tx, namespace, budget).stream()
                        .filter(dimension -> dimension.name().equals(refunded.get().dimension))
                        .map(BudgetDimension::meter)
                        .sorted()
                        .toList();
        tx.query("lock_meters").ints("ids", meters, m -> m).list(row -> row.intValue("id"));
        tx.query("use_less")
                .set("amount", refunded.get().amount)
                .set("report", refunded.get().report)
                .ints("ids", meters, m -> m)
                .update();
        PostgresBudgets.tell(tx, postgres, namespace, budget, "refund", by);
        return meters;
    }

    /** In which namespace an execution is, whose budgets it can use up. */
    public Namespace namespaceOf(Jdbc db, ExecutionId execution) {
        return db.query("describe")
                .uuids("ids", List.of(execution), ExecutionId::uuid)
                .optional(row -> Map.entry(RowCodec.id(row), row.intValue("lane")))
                .filter(found -> found.getKey().equals(execution))
                .map(
                        found ->
                                postgres.catalog()
                                        .lanes()
                                        .byNumber(db, List.of(found.getValue()))
                                        .lane(found.getValue())
                                        .namespace())
                .orElseThrow(() -> new NotFound("execution", execution.toString()));
    }
}
