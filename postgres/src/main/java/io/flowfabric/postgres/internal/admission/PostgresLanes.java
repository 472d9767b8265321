package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.Definitions;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.BudgetDimension;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.ready.ReadyLanes;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How lanes are kept. */
public final class PostgresLanes implements Lanes {
    private final PostgresContext postgres;

    public PostgresLanes(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public LaneView configure(Lane lane, LaneSettings settings, Attribution by) {
        by.mustBeOperator();
        // These are rows of their own, that others may need while the transaction lasts.
        for (String quota : settings.quotas()) {
            postgres.catalog().meters().number(postgres.db(), lane.namespace(), QuotaUse.of(quota));
        }
        var number = postgres.db().transaction(tx -> configure(tx, lane, settings, by));
        postgres.catalog().lanes().remember(lane, number);
        new LaneRanking(postgres).rank(number);
        // Opening a lane makes what waits in it visible again.
        postgres.requeued(ReadyLanes.uncounted(Set.of(number)));
        return describe(lane);
    }

    private int configure(Jdbc tx, Lane lane, LaneSettings settings, Attribution by) {
        mustBeDefined(tx, lane.namespace(), settings);
        add(tx, postgres.now(), Map.of(lane, by.actor()));
        record Locked(int number, JsonObject stored) {}
        var locked =
                tx.query("lock_lane")
                        .set("namespace", lane.namespace().name())
                        .set("name", lane.name())
                        .one(row -> new Locked(row.intValue("id"), stored(row)));
        var before = SettingsCodec.lane(locked.stored);
        if (!before.equals(settings)) {
            var ageing = settings.ageing().map(Duration::toMillis).orElse(null);
            boolean ranks =
                    !before.ageing().equals(settings.ageing())
                            || before.sharing() != settings.sharing();
            tx.query("configure_lane")
                    .set("now", postgres.now())
                    .set("id", locked.number)
                    .set("state", settings.state().wire())
                    .set("weight", settings.weight())
                    .set("ageing", ageing)
                    .set("sharing", settings.sharing())
                    .set("ranks", ranks)
                    .set("stored", SettingsCodec.write(settings, locked.stored).toString())
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .set("payload", EventCodec.details(settings).toString())
                    .update();
            if (before.sharing() != settings.sharing()) {
                tx.query("share_anew").set("id", locked.number).update();
            }
            changeGates(tx, locked.number, find(tx, lane).orElseThrow());
        }
        return locked.number;
    }

    /** What is named cannot be deleted until the lane is what it is to be. */
    private static void mustBeDefined(Jdbc tx, Namespace namespace, LaneSettings settings) {
        var quotas = held(tx, "hold_quotas", namespace, settings.quotas());
        var names = settings.budgets().stream().map(BudgetUse::budget).toList();
        var budgets = held(tx, "hold_budgets", namespace, names);
        Definitions.mustExist(
                settings.quotas(),
                settings.budgets(),
                quotas::contains,
                budget ->
                        budgets.contains(budget)
                                ? BudgetDimension.names(
                                        BudgetDimension.chain(tx, namespace, budget))
                                : Set.of());
    }

    private static Set<String> held(
            Jdbc tx, String statement, Namespace namespace, Collection<String> names) {
        return names.isEmpty()
                ? Set.of()
                : Set.copyOf(
                        tx.query(statement)
                                .set("namespace", namespace.name())
                                .texts("names", names, name -> name)
                                .list(row -> row.text("name")));
    }

    /**
     * Refuses to let the caller delete a quota or a budget that a lane names.
     *
     * @throws Conflict when one does
     */
    public static void mustNotName(
            Jdbc tx, Namespace namespace, @Nullable String quota, @Nullable String budget) {
        tx.query("lane_that_names")
                .set("namespace", namespace.name())
                .set("quota", quota)
                .set("budget", budget)
                .optional(PostgresLanes::lane)
                .ifPresent(
                        lane -> {
                            throw Conflicts.namedByLane(
                                    lane,
                                    quota == null ? "the budget " + budget : "the quota " + quota);
                        });
    }

    /**
     * Makes every process look up again what new work of a namespace names, because something of it
     * is deleted.
     */
    public static void renewGenerations(Jdbc tx, Namespace namespace) {
        tx.query("renew_generations").set("namespace", namespace.name()).update();
    }

    /** Work behind the gates of the lane counts as the lane says now. */
    private void changeGates(Jdbc tx, int number, LaneView lane) {
        var numbers =
                tx.query("gates_of_lane").set("lane", number).list(row -> row.intValue("gate"));
        var gates = List.copyOf(postgres.catalog().gates().byNumber(tx, numbers).entrySet());
        if (!gates.isEmpty()) {
            var inLane =
                    gates.stream()
                            .map(
                                    gate ->
                                            postgres.catalog()
                                                    .meters()
                                                    .within(tx, lane, gate.getValue()))
                            .toList();
            Queues.metered(tx.query("change_lane_gates"), inLane)
                    .set("lane", number)
                    .ints("gates", gates, Map.Entry::getKey)
                    .update();
        }
    }

    @Override
    public LaneView describe(Lane lane) {
        return find(postgres.db(), lane).orElseThrow(() -> new NotFound("lane", lane.toString()));
    }

    @Override
    public Page<LaneView> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var views =
                postgres.db()
                        .query("list_lanes")
                        .set("namespace", namespace.name())
                        .set("after", start)
                        .set("max", max + 1)
                        .list(PostgresLanes::view);
        return ListingPages.byName(views, max, view -> view.lane().name());
    }

    public static Optional<LaneView> find(Jdbc db, Lane lane) {
        return db.query("lanes_by_name")
                .texts("namespaces", List.of(lane), l -> l.namespace().name())
                .texts("names", List.of(lane), Lane::name)
                .optional(PostgresLanes::view);
    }

    /** Those of the lanes that there are. */
    public static Map<Lane, LaneView> views(Jdbc db, Collection<Lane> wanted) {
        var views = new HashMap<Lane, LaneView>();
        if (!wanted.isEmpty()) {
            db.query("lanes_by_name")
                    .texts("namespaces", wanted, lane -> lane.namespace().name())
                    .texts("names", wanted, Lane::name)
                    .each(row -> views.put(lane(row), view(row)));
        }
        return views;
    }

    /**
     * Registers those lanes that there are not, and returns the numbers of these.
     *
     * @param wanted the lanes, each with who registers it
     */
    public static List<Integer> add(Jdbc db, @Nullable Long now, Map<Lane, String> wanted) {
        var lanes = List.copyOf(wanted.entrySet());
        return db.query("add_lanes")
                .set("now", now)
                .texts("namespaces", lanes, lane -> lane.getKey().namespace().name())
                .texts("names", lanes, lane -> lane.getKey().name())
                .texts("registrars", lanes, Map.Entry::getValue)
                .list(row -> row.intValue("id"));
    }

    /** The numbers of those lanes that there are. */
    public static Map<Lane, Integer> numbers(Jdbc db, Collection<Lane> wanted) {
        var numbers = new HashMap<Lane, Integer>();
        db.query("lanes_by_name")
                .texts("namespaces", wanted, lane -> lane.namespace().name())
                .texts("names", wanted, Lane::name)
                .each(row -> numbers.put(lane(row), row.intValue("id")));
        return numbers;
    }

    public static Lane lane(Row row) {
        return new Lane(new Namespace(row.text("namespace")), row.text("name"));
    }

    public static LaneView view(Row row) {
        var since = RowCodec.moment(row, "since");
        return new LaneView(
                lane(row),
                settings(row),
                since,
                row.text("registered_by"),
                RowCodec.time(row, "changed").orElse(since));
    }

    private static LaneSettings settings(Row row) {
        return SettingsCodec.lane(stored(row));
    }

    /** What is stored of the settings, with what this program does not know. */
    private static JsonObject stored(Row row) {
        return Json.parseObject(row.text("settings"));
    }
}
