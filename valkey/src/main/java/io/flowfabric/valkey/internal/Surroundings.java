package io.flowfabric.valkey.internal;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.Obstacle;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.valkey.internal.record.BudgetRecord;
import io.flowfabric.valkey.internal.record.LaneRecord;
import io.flowfabric.valkey.internal.record.QuotaRecord;
import io.flowfabric.valkey.internal.record.SessionFields;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;

/**
 * What decides how work reads from outside, besides itself: lanes, sessions, quotas and budgets, as
 * one call has found them.
 */
final class Surroundings {
    private final Map<Integer, LaneRecord> lanes = new HashMap<>();
    private final Map<SessionId, SessionFields> sessions = new HashMap<>();
    private final Map<String, QuotaRecord> quotas = new HashMap<>();
    private final Map<String, byte[]> meters = new HashMap<>();
    private final Map<String, BudgetRecord> budgets = new HashMap<>();
    private final Instant now;

    // What follows from it, found out once.
    private final Map<Integer, LaneView> laneViews = new HashMap<>();
    private final Map<Integer, Optional<Obstacle>> obstacles = new HashMap<>();
    private Optional<List<Session>> alive = Optional.empty();

    private Surroundings(Instant now) {
        this.now = now;
    }

    /** What a reading function told. */
    static Surroundings read(Item told, Instant now) {
        var around = new Surroundings(now);
        for (var noted : told.list()) {
            var fields = noted.at(1).list();
            for (int i = 0; i + 1 < fields.size(); i += 2) {
                around.add(noted.at(0).text(), fields.get(i), fields.get(i + 1).bytes());
            }
        }
        return around;
    }

    private void add(String kind, Item field, byte[] packed) {
        switch (kind) {
            case "lane" ->
                    lanes.put(Integer.valueOf(field.text()), new LaneRecord(Item.read(packed)));
            case "session" -> {
                var id = new SessionId(field.uuid());
                sessions.put(id, SessionFields.read(id, packed));
            }
            case "quota" -> {
                var name = new WholeName(field.text());
                quotas.put(name.text, QuotaRecord.read(name.namespace(), name.own(), packed));
            }
            case "meter" -> meters.put(field.text(), packed);
            case "budget" -> {
                var name = new WholeName(field.text());
                budgets.put(name.text, BudgetRecord.read(name.namespace(), name.own(), packed));
            }
            default -> throw Item.unreadable(kind);
        }
    }

    /** The name of a quota or a budget, with its namespace. */
    private record WholeName(String text) {
        Namespace namespace() {
            return new Namespace(text.substring(0, text.indexOf('\0')));
        }

        String own() {
            return text.substring(text.indexOf('\0') + 1);
        }
    }

    Instant now() {
        return now;
    }

    /** A session that was noted, alive or dead. */
    Optional<SessionFields> session(SessionId id) {
        return Optional.ofNullable(sessions.get(id));
    }

    /** Those that live. */
    List<Session> alive() {
        if (alive.isEmpty()) {
            alive =
                    Optional.of(
                            sessions.values().stream()
                                    .filter(session -> session.isAlive(now))
                                    .map(SessionFields::session)
                                    .toList());
        }
        return alive.get();
    }

    /** A lane that was noted. */
    LaneRecord laneRecord(int number) {
        return Optional.ofNullable(lanes.get(number))
                .orElseThrow(() -> Item.unreadable("the lane %d is missing".formatted(number)));
    }

    LaneView lane(int number) {
        return laneViews.computeIfAbsent(number, unread -> laneRecord(number).view());
    }

    /** How the quotas stand that work counts against, as far as they bound anything. */
    Stream<QuotaView> quotas(LaneView lane, Collection<QuotaUse> own) {
        var namespace = lane.lane().namespace();
        return lane.settings().countsAgainst(own).stream()
                .flatMap(use -> quota(namespace, use).stream());
    }

    private Optional<QuotaView> quota(Namespace namespace, QuotaUse use) {
        var meter =
                Optional.ofNullable(meters.get(namespace.name() + "\0" + GateDefinition.name(use)));
        return Optional.ofNullable(quotas.get(namespace.name() + "\0" + use.quota()))
                .map(quota -> quota.view(use, meter, now));
    }

    /** How the budgets stand that work draws on, itself or through one below. */
    Stream<Fact.Budget> budgets(LaneView lane, SortedSet<BudgetUse> own) {
        var namespace = lane.lane().namespace();
        return lane.settings().drawsOn(own).stream()
                .flatMap(
                        use ->
                                chain(namespace, use.budget()).stream()
                                        .filter(budget -> !budget.deleted())
                                        .map(budget -> new Fact.Budget(budget.view(), use)));
    }

    /** A budget and those above it, also deleted ones. */
    private List<BudgetRecord> chain(Namespace namespace, String name) {
        var chain = new ArrayList<BudgetRecord>();
        var next = Optional.ofNullable(budgets.get(namespace.name() + "\0" + name));
        while (next.isPresent()) {
            chain.add(next.get());
            next = next.flatMap(BudgetRecord::parent).map(budgets::get);
        }
        return chain;
    }

    /** What the budgets leave nothing for, in words. */
    Optional<String> shortage(LaneView lane, SortedSet<BudgetUse> own) {
        return budgets(lane, own).filter(budget -> !budget.open()).findFirst().map(Fact::words);
    }

    /** How ready work reads: what stands behind a shut gate says so. */
    ExecutionState seen(Ready ready, WaitingGate gate) {
        return obstacles
                .computeIfAbsent(gate.number(), unknown -> obstacle(gate))
                .map(obstacle -> obstacle.before(ready))
                .orElse(ready);
    }

    private Optional<Obstacle> obstacle(WaitingGate gate) {
        var lane = lane(gate.lane());
        return Obstacle.first(
                lane.lane(),
                lane.settings().state(),
                gate.kind(),
                gate.needs(),
                alive(),
                () -> shortage(lane, gate.budgets()),
                () -> quotas(lane, gate.quotas()));
    }
}
