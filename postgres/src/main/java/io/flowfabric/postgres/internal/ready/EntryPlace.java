package io.flowfabric.postgres.internal.ready;

import io.flowfabric.postgres.internal.catalog.LaneGate;
import io.flowfabric.postgres.internal.jdbc.Row;

/** The place of an entry: behind which gate of which lane, and at which position. */
public record EntryPlace(LaneGate gate, QueuePosition position) {
    public static EntryPlace of(Row row) {
        return new EntryPlace(
                new LaneGate(row.intValue("lane"), row.intValue("gate")), QueuePosition.of(row));
    }
}
