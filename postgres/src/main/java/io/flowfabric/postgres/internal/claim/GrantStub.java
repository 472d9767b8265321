package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;

import java.time.Instant;

/** A grant as it is stored. */
public record GrantStub(ExecutionId execution, int lane, long epoch, Instant until) {
    public static GrantStub of(Row row) {
        return new GrantStub(
                RowCodec.id(row),
                row.intValue("lane"),
                row.longValue("epoch"),
                RowCodec.moment(row, "until"));
    }
}
