package io.flowfabric.valkey.internal;

import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A portion of what waits in a lane, gate by gate.
 *
 * @param lane the number of the lane
 * @param counts how many are in each situation
 * @param gates as {@code query.lua} tells of them
 */
record WaitingWork(int lane, Item counts, List<Item> gates, Surroundings around) {
    /** So many gates are looked at in one call. */
    static final int PORTION = 1_000;

    /**
     * Looks at everything that waits in a lane. There is a portion also when nothing waits.
     *
     * @throws NotFound when there is no such lane
     */
    static void portions(ValkeyContext valkey, Lane lane, Consumer<WaitingWork> visitor) {
        boolean found = false;
        for (var part : valkey.spread(lane.namespace()).all()) {
            found |= portions(valkey, lane, part, visitor);
        }
        if (!found) {
            throw new NotFound("lane", lane.toString());
        }
    }

    /** Looks at what waits in one partition, and says whether the lane is known there. */
    static boolean portions(
            ValkeyContext valkey, Lane lane, Partition part, Consumer<WaitingWork> visitor) {
        var next = Optional.<Item>empty();
        do {
            var from = next;
            var told =
                    valkey.read(
                            "waiting",
                            part,
                            out ->
                                    out.list(4)
                                            .text(lane.namespace().name())
                                            .text(lane.name())
                                            .optional(from, WaitingWork::write)
                                            .number(PORTION));
            if (told.answer().isAbsent()) {
                return false;
            }
            var answer = told.answer();
            visitor.accept(
                    new WaitingWork(
                            answer.at(0).small(),
                            answer.at(1),
                            answer.at(2).list(),
                            Surroundings.read(answer.at(4), told.now())));
            next = answer.at(3).optional(place -> place);
        } while (next.isPresent());
        return true;
    }

    private static void write(Packer out, Item place) {
        out.list(2).number(place.at(0).number()).bytes(place.at(1).bytes());
    }
}
