package io.flowfabric.postgres.internal.step;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What was decided of waits, on its way into the tables: what is remembered, what was received, how
 * a wait has ended. Of each execution there is one.
 */
public final class WaitBatch {
    private final List<Remembered> waits = new ArrayList<>();

    private record Remembered(UUID id, Awaiting before, Waited waited) {}

    private record Listed(UUID id, long opened, String name) {}

    private record Recorded(UUID id, Step step) {}

    /** What is remembered of an execution, of the columns awaiting and replays. */
    public static Awaiting read(Row row) {
        var body = row.textOrNull("awaiting");
        return body == null
                ? Awaiting.NOTHING
                : WaitCodec.awaiting(Json.parseObject(body)).asOf(row.intValue("replays"));
    }

    /** The same; nothing when it is damaged, or a newer program has written it. */
    public static Optional<Awaiting> readable(Row row) {
        try {
            return Optional.of(read(row));
        } catch (IllegalArgumentException | Invalid unknown) {
            return Optional.empty();
        }
    }

    public void add(Facts before, Waited waited) {
        waits.add(new Remembered(before.id().uuid(), before.awaiting(), waited));
    }

    public void write(Jdbc tx) {
        if (waits.isEmpty()) {
            return;
        }
        tx.query("remember")
                .uuids("ids", waits, Remembered::id)
                .texts("bodies", waits, one -> WaitCodec.write(one.waited.awaiting()).toString())
                .update();
        list(tx);
        receive(tx);
        record(tx);
    }

    /** Brings the listing of open waitpoints up to what is remembered, where that differs. */
    private void list(Jdbc tx) {
        var closed = new ArrayList<Listed>();
        var opened = new ArrayList<Listed>();
        for (Remembered one : waits) {
            var before = open(one.before);
            var after = open(one.waited.awaiting());
            addDifference(one.id, before, after, closed);
            addDifference(one.id, after, before, opened);
        }
        if (!closed.isEmpty()) {
            list(tx.query("unlist_waitpoints"), closed);
        }
        if (!opened.isEmpty()) {
            list(tx.query("list_waitpoints"), opened);
        }
    }

    /** Adds those that are in one listing of an execution and not so in another. */
    private static void addDifference(
            UUID id, Map<String, Long> these, Map<String, Long> those, List<Listed> to) {
        these.forEach(
                (name, opened) -> {
                    if (!opened.equals(those.get(name))) {
                        to.add(new Listed(id, opened, name));
                    }
                });
    }

    private static void list(Query statement, List<Listed> listed) {
        statement
                .uuids("ids", listed, Listed::id)
                .longs("openeds", listed, Listed::opened)
                .texts("names", listed, Listed::name)
                .update();
    }

    /** When each waitpoint was opened that nobody has closed. */
    private static Map<String, Long> open(Awaiting awaiting) {
        return awaiting.places().entrySet().stream()
                .filter(place -> !place.getValue().closed())
                .collect(
                        Collectors.toMap(
                                Map.Entry::getKey,
                                place -> place.getValue().opened().toEpochMilli()));
    }

    private void receive(Jdbc tx) {
        var received = waits.stream().flatMap(one -> one.waited.signal().stream()).toList();
        if (received.isEmpty()) {
            return;
        }
        tx.query("receive")
                .uuids("ids", received, one -> one.signal().at().execution().uuid())
                .longs("numbers", received, one -> one.delivery().number())
                .texts("waitpoints", received, one -> one.signal().at().name())
                .longs("places", received, ReceivedSignal::place)
                .texts("names", received, one -> one.signal().name())
                .texts("keys", received, one -> one.signal().key().orElse(null))
                .texts("effects", received, one -> one.delivery().effect().wire())
                .longs("ats", received, one -> one.delivery().at().toEpochMilli())
                .texts("actors", received, one -> one.signal().by().actor())
                .texts("reasons", received, one -> one.signal().by().reason())
                .texts("types", received, one -> RowCodec.type(one.signal().content()))
                .bytes("contents", received, one -> one.signal().content().bytes())
                .update();
    }

    private void record(Jdbc tx) {
        var recorded =
                waits.stream()
                        .flatMap(
                                one ->
                                        one.waited.step().stream()
                                                .map(step -> new Recorded(one.id, step)))
                        .toList();
        if (recorded.isEmpty()) {
            return;
        }
        tx.query("record_waits")
                .uuids("ids", recorded, Recorded::id)
                .texts("names", recorded, one -> one.step.name())
                .ints("sizes", recorded, one -> (int) one.step.bytes())
                .bytes("digests", recorded, one -> RowCodec.bytes(digest(one.step)))
                .texts("types", recorded, one -> RowCodec.type(one.step.content()))
                .bytes("contents", recorded, one -> one.step.content().bytes())
                .ints("attempts", recorded, one -> one.step.attempt())
                .longs("recordeds", recorded, one -> one.step.recorded().toEpochMilli())
                .update();
    }

    private static Digest digest(Step step) {
        return Checkpoint.digest(step.content());
    }
}
