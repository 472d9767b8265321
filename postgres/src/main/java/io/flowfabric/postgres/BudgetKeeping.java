package io.flowfabric.postgres;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.contract.Budget;
import io.flowfabric.core.contract.Budget.Bounds;
import io.flowfabric.core.contract.Budget.Enforcement;
import io.flowfabric.core.contract.BudgetView;
import io.flowfabric.core.contract.BudgetView.Level;
import io.flowfabric.core.contract.Budgets;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Page;
import io.flowfabric.core.contract.Spent;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.postgres.jdbc.Jdbc;
import io.flowfabric.postgres.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** How budgets are kept. */
final class BudgetKeeping implements Budgets {
    private final Postgres postgres;

    BudgetKeeping(Postgres postgres) {
        this.postgres = postgres;
    }

    /**
     * A meter of a budget.
     *
     * @param height how far above the budget that was asked for
     */
    record Dimension(
            int meter, int budgetId, String budget, String name, boolean deleted, int height) {}

    /** A budget without what its meters know. */
    private record Frame(
            int id,
            Namespace namespace,
            String name,
            boolean stops,
            Optional<Duration> period,
            Optional<String> parent) {
        static Frame of(Row row) {
            return new Frame(
                    row.intValue("id"),
                    new Namespace(row.text("namespace")),
                    row.text("name"),
                    row.bool("stops"),
                    Optional.ofNullable(row.longOrNull("period")).map(Duration::ofMillis),
                    Optional.ofNullable(row.textOrNull("parent")));
        }
    }

    @Override
    public BudgetView define(Budget budget, By by) {
        var meters = postgres.db().transaction(tx -> define(tx, budget, by));
        postgres.freed(meters);
        return describe(budget.namespace(), budget.name());
    }

    private List<Integer> define(Jdbc tx, Budget budget, By by) {
        var above = budget.parent();
        if (above.isPresent() && frame(tx, budget.namespace(), above.get()).isEmpty()) {
            throw new NotFound("budget", above.get());
        }
        var frame =
                tx.query("lock_budget")
                        .set("namespace", budget.namespace().name())
                        .set("name", budget.name())
                        .one(Frame::of);
        var known = Objects.requireNonNull(standings(tx, List.of(frame)).get(frame.id));
        boolean fresh = known.bounds.isEmpty();
        if (!fresh) {
            mustBeTheSame(budget, frame, known);
        }
        tx.query("change_budget")
                .set("id", frame.id)
                .set("namespace", budget.namespace().name())
                .set("stops", budget.enforcement() == Enforcement.STOP)
                .set("period", budget.period().map(Duration::toMillis).orElse(null))
                .set("parent", budget.parent().orElse(null))
                .set("deleted", false)
                .update();
        tell(tx, budget.namespace(), budget.name(), "define", by);
        tx.query("lock_dimensions").set("budget", frame.id).list(row -> row.intValue("id"));
        var dimensions = List.copyOf(budget.dimensions().entrySet());
        return tx.query("set_dimensions")
                .set("budget", frame.id)
                .set("resets", resets(budget, frame, known))
                .texts("keys", dimensions, Map.Entry::getKey)
                .longs("softs", dimensions, d -> d.getValue().soft().orElse(null))
                .longs("hards", dimensions, d -> d.getValue().hard().orElse(null))
                .longs(
                        "caps",
                        dimensions,
                        d ->
                                budget.enforcement() == Enforcement.STOP
                                        ? d.getValue().hard().orElse(null)
                                        : null)
                .list(row -> row.intValue("id"));
    }

    private static void mustBeTheSame(Budget budget, Frame frame, Standing known) {
        if (!known.bounds.keySet().equals(budget.dimensions().keySet())
                || !frame.parent.equals(budget.parent())) {
            throw new Conflict(
                    Conflict.Code.BUDGET_TAKEN,
                    budget.name(),
                    "This budget lives with other dimensions or another parent.");
        }
    }

    /** A period goes on when it stays as it was. */
    private @Nullable Long resets(Budget budget, Frame frame, Standing known) {
        if (budget.period().isEmpty()) {
            return null;
        }
        return budget.period().equals(frame.period) && known.resets.isPresent()
                ? known.resets.get().toEpochMilli()
                : (Long) (postgres.time() + budget.period().get().toMillis());
    }

    @Override
    public BudgetView describe(Namespace namespace, String budget) {
        var frame =
                frame(postgres.db(), namespace, budget)
                        .orElseThrow(() -> new NotFound("budget", budget));
        var standings = standings(postgres.db(), List.of(frame));
        return Objects.requireNonNull(standings.get(frame.id)).view(frame);
    }

    @Override
    public Page<Budget> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start =
                after.none()
                        ? ""
                        : new String(
                                after.position(Cursor.Purpose.LISTING), StandardCharsets.UTF_8);
        var frames =
                postgres.db()
                        .query("list_budgets")
                        .set("namespace", namespace.name())
                        .set("after", start)
                        .set("max", max + 1)
                        .list(Frame::of);
        var standings = standings(postgres.db(), frames);
        var budgets =
                frames.stream()
                        .map(f -> Objects.requireNonNull(standings.get(f.id)).view(f).budget())
                        .toList();
        return Paging.page(budgets, max, budget -> budget.name().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public BudgetView reset(Namespace namespace, String budget, By by) {
        var meters =
                postgres.db()
                        .transaction(
                                tx -> {
                                    var frame =
                                            frame(tx, namespace, budget)
                                                    .orElseThrow(
                                                            () -> new NotFound("budget", budget));
                                    tell(tx, namespace, budget, "reset", by);
                                    tx.query("lock_dimensions")
                                            .set("budget", frame.id)
                                            .list(row -> row.intValue("id"));
                                    return tx.query("reset_dimensions")
                                            .set("budget", frame.id)
                                            .list(row -> row.intValue("id"));
                                });
        postgres.freed(meters);
        return describe(namespace, budget);
    }

    @Override
    public void delete(Namespace namespace, String budget, By by) {
        var meters = postgres.db().transaction(tx -> delete(tx, namespace, budget, by));
        postgres.catalog().forgetBudget(namespace, budget);
        postgres.freed(meters);
    }

    private List<Integer> delete(Jdbc tx, Namespace namespace, String budget, By by) {
        var frame = frame(tx, namespace, budget);
        if (frame.isEmpty()) {
            return List.of();
        }
        tx.query("change_budget")
                .set("id", frame.get().id)
                .set("namespace", namespace.name())
                .set("stops", frame.get().stops)
                .set("period", (Long) null)
                .set("parent", frame.get().parent.orElse(null))
                .set("deleted", true)
                .update();
        LaneKeeping.mustNotName(tx, namespace, null, budget);
        tell(tx, namespace, budget, "delete", by);
        tx.query("lock_dimensions").set("budget", frame.get().id).list(row -> row.intValue("id"));
        return tx.query("lift_dimensions")
                .set("budget", frame.get().id)
                .list(row -> row.intValue("id"));
    }

    @Override
    public List<Spent> ledger(ExecutionId execution) {
        namespaceOf(execution);
        return ledger(postgres.db(), execution);
    }

    private static List<Spent> ledger(Jdbc db, ExecutionId execution) {
        return db.query("ledger")
                .set("execution", execution.uuid())
                .list(
                        row ->
                                new Spent(
                                        row.text("budget"),
                                        row.text("dimension"),
                                        row.longValue("amount"),
                                        row.text("key"),
                                        Stored.moment(row, "at"),
                                        row.bool("refunded")));
    }

    @Override
    public Spent refund(ExecutionId execution, String budget, String key, By by) {
        var namespace = namespaceOf(execution);
        var meters =
                postgres.db().transaction(tx -> refund(tx, namespace, execution, budget, key, by));
        postgres.freed(meters);
        return ledger(postgres.db(), execution).stream()
                .filter(spent -> spent.budget().equals(budget) && spent.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new NotFound("spending", key));
    }

    private List<Integer> refund(
            Jdbc tx, Namespace namespace, ExecutionId execution, String budget, String key, By by) {
        record Refunded(String dimension, long amount) {}
        var refunded =
                tx.query("refund")
                        .set("namespace", namespace.name())
                        .set("name", budget)
                        .set("execution", execution.uuid())
                        .set("key", key)
                        .optional(
                                row ->
                                        new Refunded(
                                                row.text("dimension"), row.longValue("amount")));
        if (refunded.isEmpty()) {
            return List.of();
        }
        var meters =
                chain(tx, namespace, budget).stream()
                        .filter(dimension -> dimension.name.equals(refunded.get().dimension))
                        .map(Dimension::meter)
                        .sorted()
                        .toList();
        tx.query("lock_meters").ints("ids", meters, m -> m).list(row -> row.intValue("id"));
        tx.query("use_up")
                .set("amount", -refunded.get().amount)
                .ints("ids", meters, m -> m)
                .longs("settled", meters, m -> 0L)
                .list(row -> row.intValue("id"));
        tell(tx, namespace, budget, "refund", by);
        return meters;
    }

    Namespace namespaceOf(ExecutionId execution) {
        return postgres.db()
                .query("describe")
                .uuids("ids", List.of(execution), ExecutionId::uuid)
                .optional(row -> Map.entry(Stored.id(row), row.intValue("lane")))
                .filter(found -> found.getKey().equals(execution))
                .map(
                        found -> {
                            postgres.catalog().loadLanes(postgres.db(), List.of(found.getValue()));
                            return postgres.catalog().lane(found.getValue()).namespace();
                        })
                .orElseThrow(() -> new NotFound("execution", execution.toString()));
    }

    /** The meters of a budget and of those above it; none when nobody defined it. */
    static List<Dimension> chain(Jdbc db, Namespace namespace, String budget) {
        var chain =
                db.query("chain")
                        .set("namespace", namespace.name())
                        .set("name", budget)
                        .list(
                                row ->
                                        new Dimension(
                                                row.intValue("id"),
                                                row.intValue("budget"),
                                                row.text("name"),
                                                row.text("dimension"),
                                                row.bool("deleted"),
                                                row.intValue("height")));
        boolean defined = chain.stream().anyMatch(d -> d.height == 0 && !d.deleted);
        return defined ? chain : List.of();
    }

    static NotFound noDimension(String budget, String dimension) {
        return new NotFound("dimension of budget " + budget, dimension);
    }

    /** How a budget and those above it stand; deleted ones are left out. */
    List<BudgetView> chainViews(Namespace namespace, String budget) {
        return chain(postgres.db(), namespace, budget).stream()
                .filter(dimension -> !dimension.deleted)
                .map(Dimension::budget)
                .distinct()
                .map(name -> describe(namespace, name))
                .toList();
    }

    /** A use as a gate keeps it: the budget, and what is set aside of each dimension. */
    static String text(BudgetUse use) {
        var text = new StringBuilder(use.budget());
        use.reserve()
                .forEach(
                        (dimension, amount) ->
                                text.append(TermsText.SEPARATOR)
                                        .append(dimension)
                                        .append(TermsText.SEPARATOR)
                                        .append(amount));
        return text.toString();
    }

    static BudgetUse use(String text) {
        var words = List.of(text.split(TermsText.SEPARATOR, -1));
        var reserve = new TreeMap<String, Long>();
        for (int i = 1; i + 1 < words.size(); i += 2) {
            reserve.put(words.get(i), Long.valueOf(words.get(i + 1)));
        }
        return new BudgetUse(words.getFirst(), reserve);
    }

    private void tell(Jdbc tx, Namespace namespace, String budget, String change, By by) {
        tx.query("tell_budget")
                .set("now", postgres.now())
                .set("namespace", namespace.name())
                .set("name", budget)
                .set("actor", by.actor())
                .set("reason", by.reason())
                .set("settings", change)
                .update();
    }

    /** What the meters of a budget know. */
    private record Standing(
            SortedMap<String, Bounds> bounds,
            SortedMap<String, Level> levels,
            Optional<Instant> resets) {
        BudgetView view(Frame frame) {
            var budget =
                    new Budget(
                            frame.namespace,
                            frame.name,
                            bounds,
                            frame.period,
                            frame.stops ? Enforcement.STOP : Enforcement.WARN,
                            frame.parent);
            return new BudgetView(budget, levels, resets);
        }
    }

    private static Map<Integer, Standing> standings(Jdbc db, Collection<Frame> frames) {
        var bounds = new HashMap<Integer, TreeMap<String, Bounds>>();
        var levels = new HashMap<Integer, TreeMap<String, Level>>();
        var resets = new HashMap<Integer, Instant>();
        db.query("dimensions")
                .ints("budgets", frames, Frame::id)
                .each(
                        row -> {
                            int budget = row.intValue("budget");
                            var name = row.text("dimension");
                            bounds.computeIfAbsent(budget, b -> new TreeMap<>())
                                    .put(
                                            name,
                                            new Bounds(
                                                    Optional.ofNullable(row.longOrNull("soft")),
                                                    Optional.ofNullable(row.longOrNull("hard"))));
                            levels.computeIfAbsent(budget, b -> new TreeMap<>())
                                    .put(
                                            name,
                                            new Level(
                                                    row.longValue("used"), row.longValue("held")));
                            Stored.time(row, "resets").ifPresent(at -> resets.put(budget, at));
                        });
        var standings = new HashMap<Integer, Standing>();
        for (Frame frame : frames) {
            standings.put(
                    frame.id,
                    new Standing(
                            bounds.getOrDefault(frame.id, new TreeMap<>()),
                            levels.getOrDefault(frame.id, new TreeMap<>()),
                            Optional.ofNullable(resets.get(frame.id))));
        }
        return standings;
    }

    private static Optional<Frame> frame(Jdbc db, Namespace namespace, String name) {
        return db.query("budget")
                .set("namespace", namespace.name())
                .set("name", name)
                .optional(Frame::of);
    }
}
