package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.Unavailable;

import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * A connection that is ours for a while. Given back, a connection of a user's pool is as it was:
 * with its autocommit mode and its network timeout, without a transaction and without a channel
 * that it listens to.
 */
public final class Loan implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Loan.class);

    private static final int UNTOUCHED = -1;

    private final Connection connection;
    private final boolean foreign;
    private final boolean autocommit;
    private final int networkTimeout;

    private Loan(Connection connection, boolean foreign, boolean autocommit, int networkTimeout) {
        this.connection = connection;
        this.foreign = foreign;
        this.autocommit = autocommit;
        this.networkTimeout = networkTimeout;
    }

    /** A connection of our own, which needs nothing put back. */
    public static Loan own(Connection connection) {
        return new Loan(connection, false, true, UNTOUCHED);
    }

    /**
     * A connection of a user's pool for a statement or a transaction, in autocommit mode from now
     * on.
     *
     * @throws Unavailable when it has a transaction open already, which is not ours to end
     */
    static Loan foreign(Connection connection) throws SQLException {
        return foreign(connection, UNTOUCHED);
    }

    /** A connection of a user's pool that we keep, to listen or for heartbeats. */
    static Loan kept(Connection connection) throws SQLException {
        return foreign(connection, connection.getNetworkTimeout());
    }

    private static Loan foreign(Connection connection, int networkTimeout) throws SQLException {
        boolean autocommit = connection.getAutoCommit();
        if (!autocommit) {
            if (inTransaction(connection)) {
                throw new Unavailable(
                        "The DataSource gives out connections whose transactions have begun: name"
                            + " the pool itself, and no proxy that takes part in transactions.");
            }
            connection.setAutoCommit(true);
        }
        return new Loan(connection, true, autocommit, networkTimeout);
    }

    /** The connection, until this is closed. */
    public Connection connection() {
        return connection;
    }

    /** Gives the connection back. What was answered stays answered, whatever becomes of it. */
    @Override
    public void close() {
        try {
            if (foreign && !connection.isClosed()) {
                putBack();
            }
            connection.close();
        } catch (SQLException e) {
            log.debug("A connection could not be given back", e);
            abort();
        }
    }

    private void putBack() throws SQLException {
        if (!connection.getAutoCommit() && inTransaction(connection)) {
            connection.rollback();
        }
        if (networkTimeout != UNTOUCHED) {
            connection.setAutoCommit(true);
            try (var statement = connection.createStatement()) {
                statement.execute("unlisten *");
            }
            connection.setNetworkTimeout(Runnable::run, networkTimeout);
        }
        if (connection.getAutoCommit() != autocommit) {
            connection.setAutoCommit(autocommit);
        }
    }

    /**
     * Ends the connection without a word to the server, which may not be there to hear it. A pool
     * counts a connection as lent until it is closed, also one that was ended.
     */
    void abort() {
        try (var given = foreign ? connection : null) {
            connection.abort(Runnable::run);
            log.trace("{} was ended", given);
        } catch (SQLException e) {
            log.debug("A connection could not be ended", e);
        }
    }

    private static boolean inTransaction(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class).getTransactionState()
                != TransactionState.IDLE;
    }
}
