package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;

/** Statements that are applied together or not at all. */
public final class Transaction implements Jdbc {
    private static final String SAVEPOINT = "flowfabric";

    private final Connection connection;
    private final Statements statements;
    private final boolean repeatable;

    /** What is still to be set in front of the next statement. */
    private String settings;

    private Transaction(
            Connection connection, Statements statements, boolean repeatable, String settings) {
        this.connection = connection;
        this.statements = statements;
        this.repeatable = repeatable;
        this.settings = settings;
    }

    /**
     * A transaction of the {@link Database}, which repeats it when Postgres rolls it back.
     *
     * @param settings to be made in front of its first statement; empty for none
     */
    static Transaction ours(Connection connection, Statements statements, String settings) {
        return new Transaction(connection, statements, true, settings);
    }

    /**
     * The transaction that a caller has open on a connection of its own, and that only the caller
     * ends or repeats.
     */
    public static Transaction of(Connection connection, Statements statements) {
        return new Transaction(connection, statements, false, "");
    }

    @Override
    public Query query(String name) {
        return new Query(statements.named(name), new OnThisConnection());
    }

    /**
     * Runs {@code work} behind a savepoint: when it throws, what it did is undone, and the
     * transaction is as it was and can go on. No setting is different afterwards.
     *
     * @param lockTimeout how long each statement may wait for a lock meanwhile; zero leaves it to
     *     the transaction
     */
    public <T extends @Nullable Object> T behindSavepoint(
            Duration lockTimeout, Supplier<? extends T> work) {
        var ownTimeout = setSavepoint(lockTimeout);
        T result;
        try {
            result = work.get();
        } catch (Throwable e) {
            undo(e);
            throw e;
        }
        releaseSavepoint(ownTimeout);
        return result;
    }

    /** Returns the lock timeout that was set before. */
    private String setSavepoint(Duration lockTimeout) {
        // All of it in one round trip. The setting comes second, so that it is undone, too.
        var sql = "show lock_timeout; savepoint " + SAVEPOINT;
        if (!lockTimeout.isZero()) {
            sql += "; set local lock_timeout = " + lockTimeout.toMillis();
        }
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
            try (var shown = statement.getResultSet()) {
                shown.next();
                return shown.getString(1);
            }
        } catch (SQLException e) {
            throw Failures.of("The savepoint", e, false);
        }
    }

    private void releaseSavepoint(String lockTimeout) {
        try (var statement = connection.createStatement()) {
            statement.execute(
                    "release savepoint %s; set local lock_timeout = '%s'"
                            .formatted(SAVEPOINT, lockTimeout));
        } catch (SQLException e) {
            throw Failures.of("The savepoint", e, false);
        }
    }

    private void undo(Throwable reason) {
        try (var statement = connection.createStatement()) {
            statement.execute(
                    "rollback to savepoint %1$s; release savepoint %1$s".formatted(SAVEPOINT));
        } catch (SQLException e) {
            // Without its connection the transaction is rolled back as a whole by the server.
            reason.addSuppressed(e);
        }
    }

    private final class OnThisConnection implements Executor {
        @Override
        public <T extends @Nullable Object> T run(NamedStatement statement, Call<T> call) {
            var first = statement.mustComeFirst() ? "" : settings;
            try (var prepared = Prepared.on(connection, first, statement)) {
                settings = first.isEmpty() ? settings : "";
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
