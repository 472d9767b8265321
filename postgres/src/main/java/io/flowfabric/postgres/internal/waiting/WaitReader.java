package io.flowfabric.postgres.internal.waiting;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.decision.PresentedSignals.Addressed;
import io.flowfabric.core.decision.WaitpointPlace;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.WaitBatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.UUID;

/** Reads what executions wait for, and what they were told. */
final class WaitReader {
    private static final Logger log = LoggerFactory.getLogger(WaitReader.class);

    private static final WaitpointPlace BEGINNING = new WaitpointPlace(-1, new UUID(0, 0), "");

    /** Nothing was opened after this. */
    private static final Instant FAR = Instant.ofEpochMilli(Limit.DURATION_MILLIS.max());

    /** How many waitpoints are looked at at once, however few are asked for. */
    private static final int STRETCH = 1000;

    private final PostgresContext postgres;

    WaitReader(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** An execution, as far as its waits are concerned. */
    record Found(ExecutionId id, int lane, Situation situation, Awaiting awaiting, Instant now) {
        void refuseIfFinished() {
            if (situation.terminal()) {
                throw Conflicts.alreadyFinished(id, situation.publicState());
            }
        }

        List<WaitpointView> open(Lane named) {
            return situation.terminal() ? List.of() : awaiting.views(id, named, now);
        }

        /** Whether a waitpoint that was opened then is closed, and not only by the time. */
        boolean hasClosed(WaitpointPlace listed) {
            return situation.terminal()
                    || awaiting.place(listed.name())
                            .filter(place -> !place.closed())
                            .filter(place -> place.opened().toEpochMilli() == listed.opened())
                            .isEmpty();
        }
    }

    Found find(ExecutionId execution) {
        return postgres.db()
                .query("awaited")
                .set("now", postgres.now())
                .set("id", execution.uuid())
                .set("part", execution.partition().number())
                .optional(
                        row ->
                                found(row, execution)
                                        .orElseThrow(() -> FactsReader.unreadable(execution)))
                .orElseThrow(() -> new NotFound("execution", execution.toString()));
    }

    /** What was found; nothing when it is damaged, or a newer program has written it. */
    private static Optional<Found> found(Row row, ExecutionId execution) {
        try {
            return Optional.of(
                    new Found(
                            execution,
                            row.intValue("lane"),
                            RowCodec.situation(row),
                            WaitBatch.read(row),
                            RowCodec.moment(row, "now")));
        } catch (IllegalArgumentException | Invalid unknown) {
            return Optional.empty();
        }
    }

    List<WaitpointView> open(ExecutionId execution) {
        var found = find(execution);
        var lanes = postgres.catalog().lanes().byNumber(postgres.db(), List.of(found.lane));
        return found.open(lanes.lane(found.lane));
    }

    /**
     * A waitpoint that is listed, open or not.
     *
     * @param over whether its execution has ended
     * @param bytes how large that is which is remembered of its execution
     */
    private record Listed(WaitpointPlace place, boolean over, long bytes) {
        UUID execution() {
            return place.execution();
        }
    }

    Page<WaitpointView> open(Lane lane, Optional<Instant> openedBefore, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var behind = WaitpointPlace.read(after).orElse(BEGINNING);
        var found = new ArrayList<WaitpointView>();
        // What is listed and not open is passed over, however much there is.
        for (boolean more = true; more && found.size() <= max; ) {
            var listed = listed(lane, openedBefore, behind);
            var closed = new ArrayList<WaitpointPlace>();
            listed.stream().filter(Listed::over).forEach(one -> closed.add(one.place));
            for (var part : parts(listed)) {
                if (found.size() <= max) {
                    look(lane, part, found, closed);
                }
            }
            unlist(lane, closed);
            more = listed.size() >= STRETCH;
            behind = listed.isEmpty() ? behind : listed.getLast().place;
        }
        return WaitpointPlace.page(found.subList(0, Math.min(found.size(), max + 1)), max);
    }

    /** Those whose executions go on, in parts for each of which not too much is read. */
    private static List<List<Listed>> parts(List<Listed> listed) {
        var counted = new HashSet<UUID>();
        return Chunks.of(
                listed.stream().filter(one -> !one.over).toList(),
                STRETCH,
                one -> counted.add(one.execution()) ? one.bytes : 0);
    }

    /** Finds out which waitpoints are open, and which are closed for good. */
    private void look(
            Lane lane, List<Listed> part, List<WaitpointView> open, List<WaitpointPlace> closed) {
        var remembered = remembered(part.stream().map(Listed::execution).distinct().toList());
        var views = new HashMap<WaitpointPlace, WaitpointView>();
        remembered
                .values()
                .forEach(
                        one ->
                                one.open(lane)
                                        .forEach(view -> views.put(WaitpointPlace.of(view), view)));
        for (Listed one : part) {
            var view = views.get(one.place);
            var found = remembered.get(one.execution());
            if (view != null) {
                open.add(view);
            } else if (found != null && found.hasClosed(one.place)) {
                closed.add(one.place);
            }
        }
    }

    /** One that cannot be read, or only by a newer program, is passed over. */
    private Map<UUID, Found> remembered(List<UUID> ids) {
        var remembered = new HashMap<UUID, Found>();
        postgres.db()
                .query("remembered")
                .set("now", postgres.now())
                .uuids("ids", ids, id -> id)
                .each(
                        row ->
                                found(row, RowCodec.id(row))
                                        .ifPresent(one -> remembered.put(one.id.uuid(), one)));
        return remembered;
    }

    /** So that the next reader does not find what this one has passed over. */
    private void unlist(Lane lane, List<WaitpointPlace> closed) {
        if (closed.isEmpty()) {
            return;
        }
        try {
            postgres.db()
                    .query("unlist_closed")
                    .set("namespace", lane.namespace().name())
                    .set("lane", lane.name())
                    .uuids("ids", closed, WaitpointPlace::execution)
                    .longs("openeds", closed, WaitpointPlace::opened)
                    .texts("names", closed, WaitpointPlace::name)
                    .update();
        } catch (FlowFabricException busy) {
            // What was read is right all the same.
            log.debug("{} closed waitpoints of {} stay listed", closed.size(), lane, busy);
        }
    }

    private List<Listed> listed(Lane lane, Optional<Instant> openedBefore, WaitpointPlace behind) {
        return postgres.db()
                .query("waitpoints")
                .set("namespace", lane.namespace().name())
                .set("lane", lane.name())
                .set("before", openedBefore.map(WaitReader::millis).orElse(Long.MAX_VALUE))
                .set("after_opened", behind.opened())
                .set("after_id", behind.execution())
                .set("after_name", behind.name())
                .set("limit", STRETCH)
                .list(
                        row ->
                                new Listed(
                                        new WaitpointPlace(
                                                row.longValue("opened"),
                                                row.uuid("execution"),
                                                row.text("name")),
                                        row.bool("over"),
                                        row.longValue("bytes")));
    }

    /** The first millisecond that is not before a moment, however far that is. */
    private static long millis(Instant moment) {
        return moment.isAfter(FAR) ? Long.MAX_VALUE : moment.plusNanos(999_999).toEpochMilli();
    }

    Page<ReceivedSignal> received(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        var rows =
                postgres.db()
                        .query("received")
                        .set("id", execution.uuid())
                        .set("part", execution.partition().number())
                        .set("before", (long) before)
                        .set("max", max)
                        .set("bytes", Chunks.BYTES)
                        .list(
                                row ->
                                        row.longOrNull("number") == null
                                                ? Optional.<ReceivedSignal>empty()
                                                : Optional.of(signal(execution, row)));
        if (rows.isEmpty()) {
            throw new NotFound("execution", execution.toString());
        }
        var signals = rows.stream().flatMap(Optional::stream).toList();
        return NumberedPages.page(before, signals, ReceivedSignal::bytes, max, false);
    }

    /** What was received under the keys of these signals at their waitpoints, if it is readable. */
    Map<UUID, Answer<ReceivedSignal>> underKeys(
            Jdbc tx, List<Addressed> signals, Map<UUID, Locked> locked) {
        record Known(ExecutionId id, long place, String key) {}
        var asked = new ArrayList<Known>();
        for (Addressed one : signals) {
            var at = one.signal().at();
            var row = Optional.ofNullable(locked.get(at.execution().uuid()));
            var place =
                    row.flatMap(Locked::facts)
                            .flatMap(facts -> facts.awaiting().place(at.name()))
                            .map(Awaiting.Place::number);
            one.signal()
                    .key()
                    .ifPresent(
                            key ->
                                    place.ifPresent(
                                            number ->
                                                    asked.add(
                                                            new Known(
                                                                    at.execution(), number, key))));
        }
        var found = new HashMap<UUID, Answer<ReceivedSignal>>();
        if (!asked.isEmpty()) {
            tx.query("signals_of_keys")
                    .uuids("ids", asked, known -> known.id.uuid())
                    .longs("places", asked, Known::place)
                    .texts("keys", asked, Known::key)
                    .each(
                            row -> {
                                var id =
                                        new ExecutionId(
                                                new Partition(row.intValue("part")),
                                                row.uuid("execution"));
                                found.put(id.uuid(), readable(id, row));
                            });
        }
        return found;
    }

    private static Answer<ReceivedSignal> readable(ExecutionId execution, Row row) {
        try {
            return Answer.done(signal(execution, row));
        } catch (FlowFabricException damaged) {
            return Answer.refused(damaged);
        }
    }

    private static ReceivedSignal signal(ExecutionId execution, Row row) {
        try {
            return new ReceivedSignal(
                    new Signal(
                            new Waitpoint(execution, row.text("waitpoint")),
                            row.text("name"),
                            RowCodec.content(row),
                            new Attribution(row.text("actor"), row.text("reason")),
                            Optional.ofNullable(row.textOrNull("key"))),
                    row.longValue("place"),
                    new Delivery(
                            row.longValue("number"),
                            RowCodec.known(Effect.class, row.text("effect")).orElseThrow(),
                            RowCodec.moment(row, "at")));
        } catch (IllegalArgumentException | NoSuchElementException | Invalid unknown) {
            throw StoreFailure.unreadable(
                    "A signal that %s has received".formatted(execution), unknown);
        }
    }
}
