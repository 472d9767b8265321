package io.flowfabric.postgres.internal.catalog;

import java.util.List;

/**
 * A gate as it stands in a lane: with what the lane says for everything that starts from it.
 *
 * @param floors what is set aside at least of each reservation: those of the gate first, then those
 *     that the lane alone has
 */
public record GateInLane(Metering metering, List<Long> floors) {
    public GateInLane {
        floors = List.copyOf(floors);
    }
}
