package io.flowfabric.postgres.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.SQLException;

/** Statements that are applied together or not at all. */
public final class Transaction implements Jdbc {
    private final Connection connection;
    private final Statements statements;
    private final boolean repeatable;

    private Transaction(Connection connection, Statements statements, boolean repeatable) {
        this.connection = connection;
        this.statements = statements;
        this.repeatable = repeatable;
    }

    /** A transaction of the {@link Database}, which repeats it when Postgres rolls it back. */
    static Transaction ours(Connection connection, Statements statements) {
        return new Transaction(connection, statements, true);
    }

    /**
     * The transaction that a caller has open on a connection of its own, and that only the caller
     * ends or repeats.
     */
    public static Transaction of(Connection connection, Statements statements) {
        return new Transaction(connection, statements, false);
    }

    @Override
    public Query query(String name) {
        return new Query(statements.named(name), new OnThisConnection());
    }

    /** The connection underneath; whoever uses it must neither commit nor close it. */
    public Connection connection() {
        return connection;
    }

    private final class OnThisConnection implements Executor {
        @Override
        public <T extends @Nullable Object> T run(NamedStatement statement, Call<T> call) {
            try (var prepared = connection.prepareStatement(statement.sql())) {
                return call.on(prepared);
            } catch (SQLException e) {
                if (repeatable && Failures.rolledBack(e)) {
                    throw new RolledBack(e);
                }
                throw Failures.of(statement.name(), e, false);
            }
        }
    }
}
