package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;

/** Makes a value of one row. */
@FunctionalInterface
public interface RowReader<T extends @Nullable Object> {
    /**
     * Reads the row.
     *
     * @param row valid during this call only
     */
    T read(Row row);
}
