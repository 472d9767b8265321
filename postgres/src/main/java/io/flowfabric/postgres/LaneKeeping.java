package io.flowfabric.postgres;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.LaneSettings;
import io.flowfabric.core.contract.LaneView;
import io.flowfabric.core.contract.Lanes;
import io.flowfabric.core.contract.Page;
import io.flowfabric.postgres.Catalog.LaneGate;
import io.flowfabric.postgres.jdbc.Jdbc;
import io.flowfabric.postgres.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** How lanes are kept. */
final class LaneKeeping implements Lanes {
    private final Postgres postgres;

    LaneKeeping(Postgres postgres) {
        this.postgres = postgres;
    }

    @Override
    public LaneView configure(Lane lane, LaneSettings settings, By by) {
        var number = postgres.db().transaction(tx -> configure(tx, lane, settings, by));
        postgres.catalog().remember(lane, number);
        // Opening a lane makes what waits in it visible again.
        postgres.requeued(Set.of(number));
        return describe(lane);
    }

    private int configure(Jdbc tx, Lane lane, LaneSettings settings, By by) {
        add(tx, postgres.now(), List.of(lane));
        record Locked(int number, LaneSettings settings) {}
        var locked =
                tx.query("lock_lane")
                        .set("namespace", lane.namespace().name())
                        .set("name", lane.name())
                        .one(row -> new Locked(row.intValue("id"), settings(row)));
        if (!locked.settings.equals(settings)) {
            var ageing = settings.ageing().map(Duration::toMillis).orElse(null);
            tx.query("configure_lane")
                    .set("now", postgres.now())
                    .set("id", locked.number)
                    .set("state", settings.state().wire())
                    .set("weight", settings.weight())
                    .set("ageing", ageing)
                    .set("sharing", settings.sharing())
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .set("settings", text(settings))
                    .update();
            boolean shares = settings.sharing();
            if (!locked.settings.ageing().equals(settings.ageing())
                    || locked.settings.sharing() != shares) {
                rankAnew(tx, locked.number, ageing, shares);
            }
        }
        return locked.number;
    }

    private static void rankAnew(Jdbc tx, int lane, @Nullable Long ageing, boolean shares) {
        tx.query("share_anew").set("id", lane).update();
        tx.query("rank_anew")
                .set("id", lane)
                .set("ageing", ageing)
                .set("sharing", shares)
                .update();
        if (shares) {
            Steps.place(tx, tx.query("fresh_in").set("id", lane).list(row -> row.uuid("id")));
        }
    }

    @Override
    public LaneView describe(Lane lane) {
        return find(postgres.db(), lane).orElseThrow(() -> new NotFound("lane", lane.toString()));
    }

    @Override
    public Page<LaneView> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start =
                after.none()
                        ? ""
                        : new String(
                                after.position(Cursor.Purpose.LISTING), StandardCharsets.UTF_8);
        var views =
                postgres.db()
                        .query("list_lanes")
                        .set("namespace", namespace.name())
                        .set("after", start)
                        .set("max", max + 1)
                        .list(LaneKeeping::view);
        return Paging.page(views, max, view -> view.lane().name().getBytes(StandardCharsets.UTF_8));
    }

    static Optional<LaneView> find(Jdbc db, Lane lane) {
        return db.query("lanes_by_name")
                .texts("namespaces", List.of(lane), l -> l.namespace().name())
                .texts("names", List.of(lane), Lane::name)
                .optional(LaneKeeping::view);
    }

    /** Registers those lanes that there are not, and returns the numbers of these. */
    static List<Integer> add(Jdbc db, @Nullable Long now, Collection<Lane> wanted) {
        return db.query("add_lanes")
                .set("now", now)
                .texts("namespaces", wanted, lane -> lane.namespace().name())
                .texts("names", wanted, Lane::name)
                .list(row -> row.intValue("id"));
    }

    /** Lets claims look behind these gates, too. */
    static void addGates(Jdbc db, Collection<LaneGate> pairs) {
        db.query("add_lane_gates")
                .ints("lanes", pairs, LaneGate::lane)
                .ints("gates", pairs, LaneGate::gate)
                .update();
    }

    /** The numbers of those lanes that there are. */
    static Map<Lane, Integer> numbers(Jdbc db, Collection<Lane> wanted) {
        var numbers = new HashMap<Lane, Integer>();
        db.query("lanes_by_name")
                .texts("namespaces", wanted, lane -> lane.namespace().name())
                .texts("names", wanted, Lane::name)
                .each(row -> numbers.put(lane(row), row.intValue("id")));
        return numbers;
    }

    static Lane lane(Row row) {
        return new Lane(new Namespace(row.text("namespace")), row.text("name"));
    }

    private static LaneView view(Row row) {
        return new LaneView(lane(row), settings(row), Stored.moment(row, "since"));
    }

    private static LaneSettings settings(Row row) {
        return new LaneSettings(
                Stored.word(LaneSettings.State.class, row.text("state")),
                row.intValue("weight"),
                Optional.ofNullable(row.longOrNull("ageing")).map(Duration::ofMillis),
                row.bool("sharing"));
    }

    /** Settings as an event keeps them: the state, the weight, the ageing, whether keys share. */
    static String text(LaneSettings settings) {
        return "%s %d %s %s"
                .formatted(
                        settings.state().wire(),
                        settings.weight(),
                        settings.ageing().map(step -> Long.toString(step.toMillis())).orElse("-"),
                        settings.sharing() ? "sharing" : "-");
    }

    static LaneSettings read(String text) {
        var words = List.of(text.split(" ", -1));
        return new LaneSettings(
                Stored.word(LaneSettings.State.class, words.get(0)),
                Integer.parseInt(words.get(1)),
                words.get(2).equals("-")
                        ? Optional.empty()
                        : Optional.of(Duration.ofMillis(Long.parseLong(words.get(2)))),
                words.get(3).equals("sharing"));
    }
}
