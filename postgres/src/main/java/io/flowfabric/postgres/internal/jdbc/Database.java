package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Function;

/**
 * A pool of connections that runs named statements.
 *
 * <p>A single statement is its own commit and one round trip. What Postgres rolls back to resolve a
 * deadlock is repeated here, statement or transaction, because it was undone as a whole; everything
 * else is told to the caller.
 */
public final class Database implements Jdbc, AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Database.class);

    private final ConnectionSource source;
    private final Statements statements;
    private final Retries retries;

    /** What is to be set in front of each transaction; empty without a pooler. */
    private final String settings;

    private final HeartbeatConnections heartbeats;
    private final Greetings greetings = new Greetings();
    private final Executor autocommit = new Autocommit();

    private Database(ConnectionSource source, Statements statements, Retries retries) {
        this.source = source;
        this.statements = statements;
        this.retries = retries;
        this.settings = source.settingsOfTransactions();
        this.heartbeats = new HeartbeatConnections(source, retries);
    }

    /**
     * Connects.
     *
     * @throws Unavailable when the login is refused or the server is too old
     * @throws StoreFailure when the server does not answer
     */
    public static Database open(DatabaseOptions options, Statements statements) {
        return open(options, statements, new Retries());
    }

    static Database open(DatabaseOptions options, Statements statements, Retries retries) {
        return new Database(ConnectionSource.own(options), statements, retries);
    }

    /** Runs statements on connections of a source, which is closed with this. */
    public static Database over(ConnectionSource source, Statements statements) {
        return new Database(source, statements, new Retries());
    }

    @Override
    public Query query(String name) {
        return new Query(statements.named(name), autocommit);
    }

    /**
     * A statement that keeps sessions alive. It is run beside the pool, and given up after so long.
     */
    public Query heartbeatQuery(String name, Duration patience) {
        return new Query(statements.named(name), heartbeats.within(patience));
    }

    /**
     * Runs {@code work} in one READ COMMITTED transaction: committed when it returns, rolled back
     * when it throws.
     *
     * <p>It may run several times, so it must do nothing but work on the transaction.
     */
    public <T extends @Nullable Object> T transaction(
            Function<? super Transaction, ? extends T> work) {
        return retries.run("The transaction", () -> once(work));
    }

    /** Work of a program on a connection of ours. */
    @FunctionalInterface
    public interface ProgramWork<T> {
        /**
         * Does the work in a transaction that is open, and is neither ended nor given back by it.
         */
        T on(Connection connection, Transaction tx) throws Exception;
    }

    /**
     * Runs work of a program in one transaction, once, with the settings that its connection would
     * have without us: committed when it returns, rolled back when it throws.
     */
    public <T> T programTransaction(ProgramWork<T> work) throws Exception {
        try (var loan = borrow()) {
            var connection = loan.connection();
            connection.setAutoCommit(false);
            T result;
            try {
                if (!source.undoneSettings().isEmpty()) {
                    try (var statement = connection.createStatement()) {
                        statement.execute(source.undoneSettings());
                    }
                }
                result = work.on(connection, Transaction.of(connection, statements));
            } catch (Throwable e) {
                rollBack(connection, e);
                throw e;
            }
            try {
                commit(connection);
            } catch (RolledBack e) {
                throw Retries.contended("The commit of a step", e);
            }
            return result;
        }
    }

    /**
     * Makes sure that heartbeats have a connection before a session lives by them.
     *
     * @throws StoreFailure when a pool that others use, too, has none free for so long
     */
    public void reserveForHeartbeats(Duration patience) {
        heartbeats.reserve(patience);
    }

    /** A connection that is kept, to listen on. The caller closes it. */
    public Loan connect(String purpose) {
        return source.single(purpose);
    }

    public Statements statements() {
        return statements;
    }

    /** How the server is reached, with what was found out about the way there. */
    public DatabaseOptions options() {
        return source.options();
    }

    /** Whether a connection of {@link #connect} stays one, so that it can listen. */
    public boolean canListen() {
        return source.canListen();
    }

    /**
     * Lets the server parse every statement, which finds misspelt names and wrong types without
     * running anything: for tests.
     *
     * <p>No values are bound, so a parameter whose type the server cannot tell needs a cast.
     */
    public void check() {
        for (var statement : statements.all()) {
            autocommit.run(statement, prepared -> prepared.statement().getParameterMetaData());
        }
    }

    /** Closes every connection that is ours. Closing again does nothing. */
    @Override
    public void close() {
        heartbeats.close();
        source.close();
    }

    private <T extends @Nullable Object> T once(Function<? super Transaction, ? extends T> work) {
        try (var loan = borrow()) {
            var connection = loan.connection();
            connection.setAutoCommit(false);
            T result;
            try {
                result = work.apply(Transaction.ours(connection, statements, settings));
            } catch (Throwable e) {
                rollBack(connection, e);
                throw e;
            }
            commit(connection);
            return result;
        } catch (SQLException e) {
            throw Failures.of("The transaction", e, false);
        }
    }

    private static void commit(Connection connection) {
        try {
            // Postgres would answer the commit of a failed transaction with a rollback, and the
            // driver would call that a success.
            if (connection.unwrap(BaseConnection.class).getTransactionState()
                    == TransactionState.FAILED) {
                throw new IllegalStateException(
                        "The transaction went on after a statement had failed, and cannot be"
                                + " committed.");
            }
            connection.commit();
        } catch (SQLException e) {
            if (Failures.rolledBack(e)) {
                throw new RolledBack(e);
            }
            throw Failures.of("The commit", e, true);
        }
    }

    private static void rollBack(Connection connection, Throwable reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Without its connection the transaction is rolled back by the server.
            log.debug("The rollback was not acknowledged", e);
            reason.addSuppressed(e);
        }
    }

    /**
     * For those who work on another connection in our name.
     *
     * @throws Unavailable when this is closed
     */
    public void checkOpen() {
        source.checkOpen();
    }

    private Loan borrow() {
        var loan = source.borrow();
        try {
            greetings.meet(loan.connection());
            return loan;
        } catch (SQLException e) {
            loan.close();
            throw Failures.of("The greeting of the server", e, false);
        } catch (RuntimeException e) {
            loan.close();
            throw e;
        }
    }

    /**
     * From now on looks at each connection, before anything else is done there, when its server was
     * started.
     *
     * @param look the name of a statement that answers when it was {@code started}, and whether
     *     that is yet {@code unnoted}
     * @param note the name of one that notes it
     * @param onNewServer called when it is another time than before, and before any call goes on
     *     that has a connection to that server
     */
    public void greetServers(String look, String note, Runnable onNewServer) {
        greetings.begin(statements.named(look), statements.named(note), onNewServer);
    }

    private final class Autocommit implements Executor {
        @Override
        public <T extends @Nullable Object> T run(NamedStatement statement, Call<T> call) {
            return retries.run(statement.name(), () -> once(statement, call));
        }

        private <T extends @Nullable Object> T once(NamedStatement statement, Call<T> call) {
            try (var loan = borrow();
                    var prepared = Prepared.on(loan.connection(), settings, statement)) {
                return call.on(prepared);
            } catch (SQLException e) {
                if (Failures.rolledBack(e)) {
                    throw new RolledBack(e);
                }
                throw Failures.of(statement.name(), e, true);
            }
        }
    }
}
