package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;

import java.time.Duration;

/** Where a store has its connections from: a pool of its own, or a DataSource of its user. */
public sealed interface ConnectionSource extends AutoCloseable
        permits OwnConnections, UserConnections {
    /** Connections of a pool of our own, which is made now. */
    static ConnectionSource own(DatabaseOptions options) {
        return OwnConnections.open(options);
    }

    /** How the server is reached, and how long to wait for it. */
    DatabaseOptions options();

    /** What is to be set in front of each transaction; empty where connections are set up so. */
    String settingsOfTransactions();

    /** What sets connections back for the program's own statements in a transaction, or nothing. */
    String undoneSettings();

    /** A connection for a statement or a transaction, in autocommit mode. */
    Loan borrow();

    /** A connection without time limits that is kept: to listen, or to migrate. */
    Loan single(String purpose);

    /** A connection for heartbeats, unless it takes longer than so. */
    Loan forHeartbeats(Duration patience);

    /** How many connections heartbeats have at most. */
    int mostForHeartbeats();

    /**
     * Whether a connection for heartbeats is set aside before the first one is sent, because others
     * could have taken all by then.
     */
    boolean reservesForHeartbeats();

    /** Whether a connection of {@link #single} stays one, so that it can listen. */
    boolean canListen();

    /** Whether this was closed. */
    boolean isClosed();

    /** Refuses those who come after it was closed. */
    default void checkOpen() {
        if (isClosed()) {
            throw new Unavailable("The store is closed; open another one.");
        }
    }

    /** Closes what is ours; a DataSource of the user stays open. */
    @Override
    void close();
}
