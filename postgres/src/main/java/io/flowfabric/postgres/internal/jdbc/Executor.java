package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.SQLException;

/** Finds a connection for a statement, runs it there and translates what goes wrong. */
interface Executor {
    <T extends @Nullable Object> T run(NamedStatement statement, Call<T> call);

    /** What to do with the statement, once prepared. */
    @FunctionalInterface
    interface Call<T extends @Nullable Object> {
        T on(Prepared prepared) throws SQLException;
    }
}
