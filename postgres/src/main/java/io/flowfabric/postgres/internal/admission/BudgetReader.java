package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.postgres.internal.catalog.BudgetDimension;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** How budgets are defined, and how they stand. */
public final class BudgetReader {
    private BudgetReader() {}

    /**
     * A budget without what its meters know.
     *
     * @param settings as they are stored, with what this program does not know
     */
    public record Frame(
            int id,
            Namespace namespace,
            String name,
            Enforcement enforcement,
            Optional<Duration> period,
            Optional<String> parent,
            JsonObject settings) {
        static Frame of(Row row) {
            return new Frame(
                    row.intValue("id"),
                    new Namespace(row.text("namespace")),
                    row.text("name"),
                    RowCodec.word(Enforcement.class, row.text("enforcement")),
                    Optional.ofNullable(row.longOrNull("period")).map(Duration::ofMillis),
                    Optional.ofNullable(row.textOrNull("parent")),
                    Json.parseObject(row.text("settings")));
        }
    }

    /** What the meters of a budget know. */
    public record Standing(
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
                            frame.enforcement,
                            frame.parent);
            return new BudgetView(budget, levels, resets);
        }
    }

    public static Optional<BudgetView> find(Jdbc db, Namespace namespace, String name) {
        return frame("budget", db, namespace, name)
                .flatMap(frame -> views(db, List.of(frame)).stream().findFirst());
    }

    /** A budget that was defined, and not deleted since. */
    public static Optional<Frame> frame(
            String statement, Jdbc db, Namespace namespace, String name) {
        return db.query(statement)
                .set("namespace", namespace.name())
                .set("name", name)
                .optional(Frame::of);
    }

    public static List<BudgetView> views(Jdbc db, Collection<Frame> frames) {
        var standings = standings(db, frames);
        return frames.stream()
                .map(frame -> Objects.requireNonNull(standings.get(frame.id)).view(frame))
                .toList();
    }

    /** How budgets stand, by their numbers; deleted ones are left out. */
    public static Map<Integer, BudgetView> byNumber(Jdbc db, Collection<Integer> numbers) {
        var frames = db.query("budgets").ints("ids", numbers, number -> number).list(Frame::of);
        var standings = standings(db, frames);
        var views = new LinkedHashMap<Integer, BudgetView>();
        for (Frame frame : frames) {
            views.put(frame.id, Objects.requireNonNull(standings.get(frame.id)).view(frame));
        }
        return views;
    }

    /** How a budget and those above it stand, from below; deleted ones are left out. */
    public static List<BudgetView> chain(Jdbc db, Namespace namespace, String budget) {
        var numbers =
                BudgetDimension.chain(db, namespace, budget).stream()
                        .map(BudgetDimension::budgetId)
                        .distinct()
                        .toList();
        var views = numbers.isEmpty() ? Map.<Integer, BudgetView>of() : byNumber(db, numbers);
        return numbers.stream()
                .flatMap(number -> Optional.ofNullable(views.get(number)).stream())
                .toList();
    }

    public static Map<Integer, Standing> standings(Jdbc db, Collection<Frame> frames) {
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
                                                    row.longValue("used"),
                                                    row.longValue("reserved")));
                            RowCodec.time(row, "resets").ifPresent(at -> resets.put(budget, at));
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
}
