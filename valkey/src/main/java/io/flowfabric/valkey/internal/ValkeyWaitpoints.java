package io.flowfabric.valkey.internal;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.decision.WaitpointPlace;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The open waitpoints of lanes. The server lists some besides that are not open any more, because
 * their time is over. They are passed over here.
 */
final class ValkeyWaitpoints {
    /** How many the server tells of in one call. */
    private static final int PORTION = 256;

    private final ValkeyContext valkey;

    ValkeyWaitpoints(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** An execution that lives, with what is remembered of its waits. */
    private record Waiter(ExecutionFields row, Awaiting awaiting) {
        /** Its waitpoint in this place, if it is open. */
        Optional<WaitpointView> at(WaitpointPlace place, Lane lane, Instant now) {
            return awaiting.open(place.name(), now)
                    .filter(open -> open.opened().toEpochMilli() == place.opened())
                    .map(open -> awaiting.view(row.id(), lane, place.name()));
        }
    }

    Page<WaitpointView> page(
            Lane lane, Optional<Instant> openedBefore, Optional<WaitpointPlace> after, int max) {
        var found = new ArrayList<WaitpointView>();
        for (var part : valkey.spread(lane.namespace()).all()) {
            found.addAll(first(part, lane, openedBefore, after, max + 1));
        }
        found.sort(Comparator.comparing(WaitpointPlace::of));
        return WaitpointPlace.page(found.subList(0, Math.min(found.size(), max + 1)), max);
    }

    /** The first so many of one partition behind a place. */
    private List<WaitpointView> first(
            Partition part,
            Lane lane,
            Optional<Instant> openedBefore,
            Optional<WaitpointPlace> after,
            int most) {
        var found = new ArrayList<WaitpointView>();
        var from = after;
        boolean more = true;
        while (more && found.size() < most) {
            var behind = from;
            var told = valkey.read("waitpoints", part, out -> ask(out, lane, behind, openedBefore));
            var places = told.answer().at(0).list(it -> WaitpointPlace.of(it.bytes()));
            var waiters = waiters(told.answer().at(1));
            for (var place : places) {
                Optional.ofNullable(waiters.get(place.execution()))
                        .flatMap(waiter -> waiter.at(place, lane, told.now()))
                        .filter(view -> found.size() < most)
                        .ifPresent(found::add);
            }
            more = told.answer().at(2).truth();
            from = places.isEmpty() ? from : Optional.of(places.getLast());
        }
        return found;
    }

    private static void ask(
            Packer out, Lane lane, Optional<WaitpointPlace> after, Optional<Instant> openedBefore) {
        out.list(6)
                .text(lane.namespace().name())
                .text(lane.name())
                .optional(after.map(WaitpointPlace::bytes), Packer::bytes)
                .optional(
                        openedBefore.map(moment -> SubmissionPlace.at(moment).submitted()),
                        (o, millis) -> o.number(millis))
                .number(PORTION)
                .number(Chunks.BYTES);
    }

    private static Map<UUID, Waiter> waiters(Item told) {
        var waiters = new HashMap<UUID, Waiter>();
        for (var one : told.list()) {
            readable(one).ifPresent(waiter -> waiters.put(waiter.row.uuid(), waiter));
        }
        return waiters;
    }

    /** What cannot be read has no waitpoints, and hides no others. */
    private static Optional<Waiter> readable(Item told) {
        try {
            return Optional.of(
                    Item.decoded(
                            () -> {
                                var row =
                                        ExecutionFields.read(told.at(0).uuid(), told.at(1).bytes());
                                var awaiting = WaitRecord.read(told.at(2));
                                return new Waiter(row, awaiting.asOf(row.replays()));
                            }));
        } catch (Item.Unreadable damaged) {
            return Optional.empty();
        }
    }
}
