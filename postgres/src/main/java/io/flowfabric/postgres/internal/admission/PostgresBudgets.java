package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetRecount.Drift;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetReader.Frame;
import io.flowfabric.postgres.internal.admission.BudgetReader.Standing;
import io.flowfabric.postgres.internal.admission.MeterRecounter.Wrong;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** How budgets are defined and changed. A change of one locks its row, and then its meters. */
public final class PostgresBudgets implements Budgets {
    private final PostgresContext postgres;

    public PostgresBudgets(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public BudgetView define(Budget budget, Attribution by) {
        by.mustBeOperator();
        var meters = postgres.db().transaction(tx -> define(tx, budget, by));
        new BudgetBreaches(postgres).cancelAll();
        postgres.freed(meters);
        return describe(budget.namespace(), budget.name());
    }

    private List<Integer> define(Jdbc tx, Budget budget, Attribution by) {
        var above = budget.parent();
        if (above.isPresent() && find(tx, budget.namespace(), above.get()).isEmpty()) {
            throw new NotFound("budget", above.get());
        }
        var frame =
                tx.query("lock_budget")
                        .set("namespace", budget.namespace().name())
                        .set("name", budget.name())
                        .one(Frame::of);
        var standings = BudgetReader.standings(tx, List.of(frame));
        var known = Objects.requireNonNull(standings.get(frame.id()));
        if (!known.bounds().isEmpty()) {
            mustBeTheSame(budget, frame, known);
        }
        tx.query("change_budget")
                .set("id", frame.id())
                .set("namespace", budget.namespace().name())
                .set("enforcement", RowCodec.word(budget.enforcement()))
                .set("period", budget.period().map(Duration::toMillis).orElse(null))
                .set("parent", budget.parent().orElse(null))
                .set("settings", SettingsCodec.write(budget, frame.settings()).toString())
                .set("deleted", false)
                .update();
        lockDimensions(tx, frame);
        // Under the lock of the meters: what is told of later was counted under the new bounds.
        tell(tx, postgres, budget.namespace(), budget.name(), "define", by);
        var dimensions = List.copyOf(budget.dimensions().entrySet());
        return tx.query("set_dimensions")
                .set("budget", frame.id())
                .set("resets", resets(tx, budget, frame, known))
                .texts("keys", dimensions, Map.Entry::getKey)
                .longs("softs", dimensions, d -> d.getValue().soft().orElse(null))
                .longs("hards", dimensions, d -> d.getValue().hard().orElse(null))
                .longs(
                        "caps",
                        dimensions,
                        d -> budget.enforcement().stops() ? d.getValue().hard().orElse(null) : null)
                .list(row -> row.intValue("id"));
    }

    private static void mustBeTheSame(Budget budget, Frame frame, Standing known) {
        if (!known.bounds().keySet().equals(budget.dimensions().keySet())
                || !frame.parent().equals(budget.parent())) {
            throw Conflicts.budgetTaken(budget.name());
        }
    }

    /** A period goes on when it stays as it was. */
    private @Nullable Long resets(Jdbc tx, Budget budget, Frame frame, Standing known) {
        if (budget.period().isEmpty()) {
            return null;
        }
        return budget.period().equals(frame.period()) && known.resets().isPresent()
                ? known.resets().get().toEpochMilli()
                : (Long) (postgres.time(tx) + budget.period().get().toMillis());
    }

    @Override
    public BudgetView describe(Namespace namespace, String budget) {
        return BudgetReader.find(postgres.db(), namespace, budget)
                .orElseThrow(() -> new NotFound("budget", budget));
    }

    @Override
    public Page<Budget> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var frames =
                postgres.db()
                        .query("list_budgets")
                        .set("namespace", namespace.name())
                        .set("after", start)
                        .set("max", max + 1)
                        .list(Frame::of);
        var budgets =
                BudgetReader.views(postgres.db(), frames).stream().map(BudgetView::budget).toList();
        return ListingPages.byName(budgets, max, budget -> budget.name());
    }

    @Override
    public BudgetView reset(Namespace namespace, String budget, Attribution by) {
        by.mustBeOperator();
        var meters = postgres.db().transaction(tx -> reset(tx, namespace, budget, by));
        postgres.freed(meters);
        return describe(namespace, budget);
    }

    private List<Integer> reset(Jdbc tx, Namespace namespace, String budget, Attribution by) {
        var frame = locked(tx, namespace, budget).orElseThrow(() -> new NotFound("budget", budget));
        lockDimensions(tx, frame);
        tell(tx, postgres, namespace, budget, "reset", by);
        return tx.query("reset_dimensions")
                .set("budget", frame.id())
                .list(row -> row.intValue("id"));
    }

    @Override
    public void delete(Namespace namespace, String budget, Attribution by) {
        by.mustBeOperator();
        var meters = postgres.db().transaction(tx -> delete(tx, namespace, budget, by));
        postgres.catalog().meters().forgetBudget(namespace, budget);
        postgres.freed(meters);
    }

    private List<Integer> delete(Jdbc tx, Namespace namespace, String budget, Attribution by) {
        var found = locked(tx, namespace, budget);
        if (found.isEmpty()) {
            return List.of();
        }
        var frame = found.get();
        PostgresLanes.renewGenerations(tx, namespace);
        tx.query("change_budget")
                .set("id", frame.id())
                .set("namespace", namespace.name())
                .set("enforcement", RowCodec.word(frame.enforcement()))
                .set("period", (Long) null)
                .set("parent", frame.parent().orElse(null))
                .set("settings", frame.settings().toString())
                .set("deleted", true)
                .update();
        PostgresLanes.mustNotName(tx, namespace, null, budget);
        lockDimensions(tx, frame);
        tell(tx, postgres, namespace, budget, "delete", by);
        return tx.query("lift_dimensions")
                .set("budget", frame.id())
                .list(row -> row.intValue("id"));
    }

    @Override
    public List<UsageEntry> ledger(ExecutionId execution) {
        return new UsageLedger(postgres).of(execution);
    }

    @Override
    public UsageEntry refund(ExecutionId execution, String budget, String key, Attribution by) {
        by.mustBeOperator();
        return new UsageLedger(postgres).refund(execution, budget, key, by);
    }

    @Override
    public BudgetRecount recount(Namespace namespace) {
        var all = new MeterRecounter(postgres, namespace, MeterRecounter.Of.BUDGETS).recount();
        return new BudgetRecount(
                all.counted(), all.drifts().stream().map(PostgresBudgets::drift).toList());
    }

    private static Drift drift(Wrong wrong) {
        var meter = wrong.meter();
        return new Drift(meter.name(), meter.key(), meter.said().held(), wrong.is().held());
    }

    private static Optional<Frame> find(Jdbc tx, Namespace namespace, String budget) {
        return BudgetReader.frame("budget", tx, namespace, budget);
    }

    /** A budget that is there, locked, so that no other transaction changes it. */
    private static Optional<Frame> locked(Jdbc tx, Namespace namespace, String budget) {
        return BudgetReader.frame("lock_known_budget", tx, namespace, budget);
    }

    private static void lockDimensions(Jdbc tx, Frame frame) {
        tx.query("lock_dimensions").set("budget", frame.id()).list(row -> row.intValue("id"));
    }

    public static void tell(
            Jdbc tx,
            PostgresContext postgres,
            Namespace namespace,
            String budget,
            String change,
            Attribution by) {
        tx.query("tell_budget")
                .set("now", postgres.now())
                .set("namespace", namespace.name())
                .set("actor", by.actor())
                .set("reason", by.reason())
                .set("payload", EventCodec.details(budget, change).toString())
                .update();
    }
}
