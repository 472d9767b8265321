package io.flowfabric.postgres;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Makes events of rows. One that cannot be read is logged and passed over. */
final class EventReader {
    private static final Logger log = LoggerFactory.getLogger(EventReader.class);

    private final List<Raw> rows = new ArrayList<>();

    /** A row whose lane is still a number. */
    private record Raw(
            long id, Optional<Integer> lane, Tags tags, Function<Catalog, Event> event) {}

    /** An event, its place in the log, and the tags of the execution that it is about. */
    record Read(long id, Event event, Tags tags) {}

    void add(Row row) {
        long id = row.longValue("id");
        try {
            var lane = Optional.ofNullable(row.intOrNull("lane"));
            var tags =
                    row.textOrNull("tags") == null ? Tags.NONE : RowCodec.tags(row.texts("tags"));
            rows.add(new Raw(id, lane, tags, event(row)));
        } catch (RuntimeException unreadable) {
            log.error("The event {} cannot be read and is passed over", id, unreadable);
        }
    }

    List<Read> read(Jdbc db, Catalog catalog) {
        catalog.loadLanes(db, rows.stream().flatMap(row -> row.lane.stream()).toList());
        return rows.stream()
                .map(row -> new Read(row.id, row.event.apply(catalog), row.tags))
                .toList();
    }

    private static Function<Catalog, Event> event(Row row) {
        if (row.uuidOrNull("execution") != null) {
            return row.textOrNull("transition") == null ? erased(row) : step(row);
        }
        if (row.uuidOrNull("session") != null) {
            var event = ofSession(row);
            return catalog -> event;
        }
        if (row.textOrNull("of_namespace") != null) {
            var event = ofNamespace(row);
            return catalog -> event;
        }
        int lane = row.intValue("lane");
        var settings = SettingsCodec.lane(Json.parseObject(row.text("settings")));
        var by = by(row).orElseThrow();
        var at = RowCodec.moment(row, "at");
        return catalog -> new Event.LaneChange(catalog.lane(lane), settings, by, at);
    }

    private static Event ofNamespace(Row row) {
        var budget = row.textOrNull("budget");
        if (budget != null) {
            return ofBudget(row, budget);
        }
        var quota = row.textOrNull("quota");
        if (quota != null && by(row).isEmpty()) {
            return QuotaRecounter.read(row, quota);
        }
        if (quota != null) {
            var namespace = new Namespace(row.text("of_namespace"));
            return new Event.QuotaChange(
                    namespace,
                    quota,
                    Optional.ofNullable(row.textOrNull("settings"))
                            .map(
                                    settings ->
                                            SettingsCodec.quota(
                                                    namespace, quota, Json.parseObject(settings))),
                    by(row).orElseThrow(),
                    RowCodec.moment(row, "at"));
        }
        return new Event.NamespaceChange(
                new Namespace(row.text("of_namespace")),
                SettingsCodec.namespace(Json.parseObject(row.text("settings"))),
                by(row).orElseThrow(),
                RowCodec.moment(row, "at"));
    }

    private static Event ofBudget(Row row, String budget) {
        var namespace = new Namespace(row.text("of_namespace"));
        var at = RowCodec.moment(row, "at");
        var by = by(row);
        if (by.isPresent()) {
            return new Event.BudgetChange(namespace, budget, row.text("settings"), by.get(), at);
        }
        var reached = UsageWriter.read(row.text("settings"));
        return new Event.BudgetReached(
                namespace,
                budget,
                reached.getKey(),
                Boolean.parseBoolean(reached.getValue().get(0)),
                Long.parseLong(reached.getValue().get(1)),
                at);
    }

    private static Event ofSession(Row row) {
        var owner = owner(row).orElseThrow();
        var namespace = new Namespace(row.text("namespace"));
        var at = RowCodec.moment(row, "at");
        var by = by(row);
        return by.isPresent()
                ? new Event.MarkedDead(owner, namespace, by.get(), at)
                : new Event.Renewal(owner, namespace, at, RowCodec.moment(row, "until"));
    }

    private static Function<Catalog, Event> erased(Row row) {
        var execution = execution(row);
        int lane = row.intValue("lane");
        var by = by(row).orElseThrow();
        var at = RowCodec.moment(row, "at");
        return catalog -> new Event.Erased(execution, catalog.lane(lane), by, at);
    }

    private static Function<Catalog, Event> step(Row row) {
        var execution = execution(row);
        int lane = row.intValue("lane");
        var transition = RowCodec.transition(row, "transition");
        var situation = RowCodec.situation(row);
        var at = RowCodec.moment(row, "at");
        int attempts = row.intValue("attempts");
        long epoch = row.longValue("epoch");
        var owner = owner(row);
        var by = by(row);
        var until = RowCodec.time(row, "until");
        var failure = failure(row);
        return catalog ->
                new Event.Step(
                        execution,
                        catalog.lane(lane),
                        transition,
                        situation,
                        at,
                        attempts,
                        epoch,
                        owner,
                        by,
                        until,
                        failure);
    }

    private static ExecutionId execution(Row row) {
        return new ExecutionId(new Partition(row.intValue("part")), row.uuid("execution"));
    }

    private static Optional<Owner> owner(Row row) {
        return Optional.ofNullable(row.uuidOrNull("session"))
                .map(
                        session ->
                                new Owner(
                                        new SessionId(session),
                                        row.text("worker"),
                                        row.text("instance")));
    }

    private static Optional<Attribution> by(Row row) {
        return Optional.ofNullable(row.textOrNull("actor"))
                .map(actor -> new Attribution(actor, row.text("reason")));
    }

    private static Optional<Failure> failure(Row row) {
        return Optional.ofNullable(row.textOrNull("failure_category"))
                .map(
                        category ->
                                new Failure(
                                        category,
                                        row.text("failure_message"),
                                        row.text("failure_detail")));
    }
}
