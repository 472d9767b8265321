package io.flowfabric.postgres.internal.waiting;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
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
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.WaitBatch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Reads what executions wait for, and what they were told. */
final class WaitReader {
    private static final WaitpointPlace BEGINNING = new WaitpointPlace(-1, new UUID(0, 0), "");

    /** Nothing was opened after this. */
    private static final Instant FAR = Instant.ofEpochMilli(Limit.DURATION_MILLIS.max());

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
    }

    Found find(ExecutionId execution) {
        return postgres.db()
                .query("awaited")
                .set("now", postgres.now())
                .set("id", execution.uuid())
                .set("part", execution.partition().number())
                .optional(
                        row ->
                                new Found(
                                        execution,
                                        row.intValue("lane"),
                                        RowCodec.situation(row),
                                        WaitBatch.read(row),
                                        RowCodec.moment(row, "now")))
                .orElseThrow(() -> new NotFound("execution", execution.toString()));
    }

    List<WaitpointView> open(ExecutionId execution) {
        var found = find(execution);
        var lanes = postgres.catalog().lanes().byNumber(postgres.db(), List.of(found.lane));
        return found.open(lanes.lane(found.lane));
    }

    /** A waitpoint that is listed, open or not. */
    private record Listed(WaitpointPlace place, Optional<WaitpointView> open) {}

    Page<WaitpointView> open(Lane lane, Optional<Instant> openedBefore, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var behind = WaitpointPlace.read(after).orElse(BEGINNING);
        var found = new ArrayList<WaitpointView>();
        // What is listed and not open is passed over, however much there is.
        for (boolean more = true; more && found.size() <= max; ) {
            var listed = listed(lane, openedBefore, behind, max + 1);
            listed.forEach(one -> one.open.ifPresent(found::add));
            more = listed.size() > max;
            behind = listed.isEmpty() ? behind : listed.getLast().place;
        }
        return WaitpointPlace.page(found.subList(0, Math.min(found.size(), max + 1)), max);
    }

    private List<Listed> listed(
            Lane lane, Optional<Instant> openedBefore, WaitpointPlace behind, int limit) {
        return postgres.db()
                .query("waitpoints")
                .set("now", postgres.now())
                .set("namespace", lane.namespace().name())
                .set("lane", lane.name())
                .set("before", openedBefore.map(WaitReader::millis).orElse(Long.MAX_VALUE))
                .set("after_opened", behind.opened())
                .set("after_id", behind.execution())
                .set("after_name", behind.name())
                .set("limit", limit)
                .list(row -> listed(lane, row));
    }

    /** The first millisecond that is not before a moment, however far that is. */
    private static long millis(Instant moment) {
        return moment.isAfter(FAR) ? Long.MAX_VALUE : moment.plusNanos(999_999).toEpochMilli();
    }

    private static Listed listed(Lane lane, Row row) {
        var id = RowCodec.id(row);
        var name = row.text("name");
        var place = new WaitpointPlace(row.longValue("opened"), id.uuid(), name);
        // One that cannot be read, or only by a newer program, is passed over.
        var found =
                WaitBatch.readable(row)
                        .map(
                                awaiting ->
                                        new Found(
                                                id,
                                                0,
                                                RowCodec.situation(row),
                                                awaiting,
                                                RowCodec.moment(row, "now")));
        return new Listed(
                place,
                found.stream()
                        .flatMap(one -> one.open(lane).stream())
                        .filter(view -> WaitpointPlace.of(view).equals(place))
                        .findFirst());
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

    /** What was received under the keys of these signals at their waitpoints. */
    Map<UUID, ReceivedSignal> underKeys(
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
        var found = new HashMap<UUID, ReceivedSignal>();
        if (!asked.isEmpty()) {
            tx.query("signals_of_keys")
                    .uuids("ids", asked, known -> known.id.uuid())
                    .longs("places", asked, Known::place)
                    .texts("keys", asked, Known::key)
                    .each(
                            row -> {
                                var signal = signal(row);
                                found.put(signal.signal().at().execution().uuid(), signal);
                            });
        }
        return found;
    }

    private static ReceivedSignal signal(Row row) {
        return signal(
                new ExecutionId(new Partition(row.intValue("part")), row.uuid("execution")), row);
    }

    private static ReceivedSignal signal(ExecutionId execution, Row row) {
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
    }
}
