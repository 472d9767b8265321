package io.flowfabric.postgres.internal.jdbc;

import java.sql.PreparedStatement;
import java.sql.SQLException;

/** A value that knows how to put itself into a statement. */
@FunctionalInterface
interface Binding {
    /**
     * Puts it at a place.
     *
     * @param position counted from 1
     */
    void bind(PreparedStatement statement, int position) throws SQLException;
}
