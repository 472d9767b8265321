package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetBreaches;
import io.flowfabric.postgres.internal.admission.PostgresBudgets;

import org.jspecify.annotations.Nullable;

import java.util.Optional;
import java.util.UUID;

/** How what a worker used up is counted: in one statement, under the lock of the execution. */
public final class UsageWriter {
    private final PostgresContext postgres;

    public UsageWriter(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /**
     * What came of a report.
     *
     * @param namespace of the work; none when the lease is lost
     * @param defined whether there is such a budget
     * @param budget its number; none when it does not count this dimension
     * @param added whether it was not heard before
     * @param cancels whether a limit is reached of a budget that cancels
     */
    private record Heard(
            @Nullable String namespace,
            boolean defined,
            @Nullable Integer budget,
            boolean added,
            boolean cancels) {}

    /**
     * Counts one report, and says how the budget stands then; nothing when the lease is lost.
     *
     * @throws NotFound when there is no such budget or dimension
     * @throws Conflict when its key was used for something else
     */
    public Optional<BudgetView> spend(UsageReport spending) {
        var heard = hear(spending);
        var namespace = heard.namespace;
        if (namespace == null) {
            return Optional.empty();
        }
        if (!heard.defined) {
            throw new NotFound("budget", spending.budget());
        }
        var budget = heard.budget;
        if (budget == null) {
            throw NotFound.dimension(spending.budget(), spending.dimension());
        }
        if (!heard.added) {
            mustBeTheSame(budget, spending);
        }
        if (heard.cancels) {
            new BudgetBreaches(postgres).cancelAll();
        }
        return Optional.of(
                new PostgresBudgets(postgres)
                        .describe(new Namespace(namespace), spending.budget()));
    }

    private Heard hear(UsageReport spending) {
        var fence = spending.fence();
        return postgres.db()
                .query("spend")
                .set("now", postgres.now())
                .set("id", fence.execution().uuid())
                .set("part", fence.execution().partition().number())
                .set("attempt", fence.attempt())
                .set("epoch", fence.epoch())
                .set("name", spending.budget())
                .set("dimension", spending.dimension())
                .set("amount", spending.amount())
                .set("key", spending.key())
                .one(
                        row ->
                                new Heard(
                                        row.textOrNull("namespace"),
                                        row.bool("defined"),
                                        row.intOrNull("budget"),
                                        row.bool("added"),
                                        row.bool("cancels")));
    }

    /** Whoever repeats a report says the same again. */
    private void mustBeTheSame(int budget, UsageReport spending) {
        record Before(UUID execution, String dimension, long amount) {}
        var execution = spending.fence().execution().uuid();
        var same = new Before(execution, spending.dimension(), spending.amount());
        var before =
                postgres.db()
                        .query("spent_before")
                        .set("budget", budget)
                        .set("key", spending.key())
                        .optional(
                                row ->
                                        new Before(
                                                row.uuid("execution"),
                                                row.text("dimension"),
                                                row.longValue("amount")));
        // One that is gone by now was another's: this execution is still there.
        if (before.isEmpty() || !before.get().equals(same)) {
            throw new Conflict(
                    Conflict.Code.SPENT_DIFFERENTLY,
                    spending.key(),
                    "This was reported before, with other content.");
        }
    }
}
