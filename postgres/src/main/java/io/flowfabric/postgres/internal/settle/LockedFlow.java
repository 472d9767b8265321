package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.codec.FlowCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;
import java.util.UUID;

/**
 * A flow as it was read.
 *
 * @param changing what was written of it, with what only newer programs know
 * @param now the moment by the clock that decides
 */
public record LockedFlow(FlowRecord record, JsonObject changing, Instant now) {
    public static LockedFlow of(Row row) {
        var changing = Json.parseObject(row.text("changing"));
        return new LockedFlow(
                FlowCodec.read(id(row), Json.parseObject(row.text("fixed")), changing),
                changing,
                RowCodec.moment(row, "now"));
    }

    public static FlowId id(Row row) {
        return new FlowId(new Partition(row.intValue("part")), row.uuid("id"));
    }

    public UUID id() {
        return record.id().uuid();
    }

    /** This flow as it is now. */
    public LockedFlow with(FlowRecord other) {
        return new LockedFlow(other, FlowCodec.changing(other, changing), now);
    }
}
