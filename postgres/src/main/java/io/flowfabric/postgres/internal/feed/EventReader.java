package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.EventKind;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.feed.Event;
import io.flowfabric.postgres.internal.Parties;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.catalog.UnknownWord;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Makes events of rows. A row that cannot be read, or is of a kind that only a newer program knows,
 * is logged and passed over: it never stops a feed.
 */
public final class EventReader {
    private static final Logger log = LoggerFactory.getLogger(EventReader.class);

    /** What was told of: a feed of a newer program is full of them. */
    private static final Set<String> UNKNOWN = ConcurrentHashMap.newKeySet();

    private final List<Raw> rows = new ArrayList<>();

    /** A row whose lane is still a number. */
    private record Raw(
            long id,
            long newest,
            Optional<Integer> lane,
            Tags tags,
            Function<Optional<Lane>, Event> event) {}

    /**
     * An event.
     *
     * @param id its place in the log
     * @param newest what was given with its row
     * @param tags of the execution that it is about
     */
    public record Read(long id, long newest, Event event, Tags tags) {}

    public void add(Row row) {
        add(row, 0);
    }

    /**
     * Adds a row.
     *
     * @param newest given back with the event
     */
    public void add(Row row, long newest) {
        long id = row.longValue("id");
        try {
            var wire = row.text("kind");
            var kind = EventKind.named(wire);
            if (kind.isEmpty()) {
                ofNewerProgram(id, "the kind " + wire);
                return;
            }
            var lane = Optional.ofNullable(row.intOrNull("lane"));
            var tags =
                    row.textOrNull("tags") == null ? Tags.NONE : RowCodec.tags(row.texts("tags"));
            rows.add(new Raw(id, newest, lane, tags, event(kind.get(), row)));
        } catch (UnknownWord newer) {
            ofNewerProgram(id, String.valueOf(newer.getMessage()));
        } catch (RuntimeException unreadable) {
            passedOver(id, unreadable);
        }
    }

    public List<Read> read(Jdbc db, Catalog catalog) {
        var lanes =
                catalog.lanes()
                        .byNumber(db, rows.stream().flatMap(row -> row.lane.stream()).toList());
        var events = new ArrayList<Read>();
        for (var row : rows) {
            try {
                var event = row.event.apply(row.lane.map(lanes::lane));
                events.add(new Read(row.id, row.newest, event, row.tags));
            } catch (RuntimeException unreadable) {
                passedOver(row.id, unreadable);
            }
        }
        return events;
    }

    private static void ofNewerProgram(long id, String what) {
        if (UNKNOWN.add(what)) {
            log.warn(
                    "Events like {} are passed over, for they were written by a newer program: {}",
                    id,
                    what);
        }
    }

    private static void passedOver(long id, RuntimeException unreadable) {
        log.error("The event {} cannot be read and is passed over", id, unreadable);
    }

    private static Function<Optional<Lane>, Event> event(EventKind kind, Row row) {
        return switch (kind) {
            case STEP -> step(row);
            case HEARTBEAT -> {
                var event =
                        new Event.Renewal(
                                Parties.owner(row).orElseThrow(),
                                new Namespace(row.text("session_namespace")),
                                RowCodec.moment(row, "at"),
                                RowCodec.moment(row, "until"));
                yield lane -> event;
            }
            case STEP_RECORDED,
                    SIGNAL_RECEIVED,
                    WAITPOINT_CLOSED,
                    MARKED_DEAD,
                    ERASED,
                    LANE_CHANGED,
                    NAMESPACE_CHANGED,
                    QUOTA_CHANGED,
                    BUDGET_CHANGED,
                    SCHEDULE_CHANGED,
                    BUDGET_REACHED,
                    DRIFTED,
                    KEY_ROTATED,
                    FLOW_CHANGED ->
                    rare(kind, row);
        };
    }

    /** Those that are not so frequent are read by the codec that all stores share. */
    private static Function<Optional<Lane>, Event> rare(EventKind kind, Row row) {
        var payload = row.textOrNull("payload");
        var json =
                (payload == null ? JsonObject.EMPTY : Json.parseObject(payload))
                        .with("kind", Json.of(kind.wire()))
                        .with("at", Json.of(row.longValue("at")))
                        .with("actor", text(row, "actor"), Json::of)
                        .with("reason", text(row, "reason"), Json::of)
                        .with("session", text(row, "session"), Json::of)
                        .with("worker", text(row, "worker"), Json::of)
                        .with("instance", text(row, "instance"), Json::of)
                        .with(
                                "namespace",
                                text(row, "namespace").or(() -> text(row, "session_namespace")),
                                Json::of)
                        .with(
                                "execution",
                                text(row, "execution").map(id -> execution(row).toString()),
                                Json::of);
        return lane ->
                EventCodec.read(
                                lane.map(
                                                l ->
                                                        json.with(
                                                                        "namespace",
                                                                        Json.of(
                                                                                l.namespace()
                                                                                        .name()))
                                                                .with("lane", Json.of(l.name())))
                                        .orElse(json))
                        .orElseThrow();
    }

    private static Optional<String> text(Row row, String column) {
        return Optional.ofNullable(row.textOrNull(column));
    }

    private static Function<Optional<Lane>, Event> step(Row row) {
        var execution = execution(row);
        var transition = RowCodec.transition(row, "transition");
        var situation = RowCodec.situation(row);
        var at = RowCodec.moment(row, "at");
        int attempts = row.intValue("attempts");
        long epoch = row.longValue("epoch");
        var owner = Parties.owner(row);
        var by = Parties.by(row);
        var until = RowCodec.time(row, "until");
        var failure = failure(row);
        return lane ->
                new Event.Step(
                        execution,
                        lane.orElseThrow(),
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
