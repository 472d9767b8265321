package io.flowfabric.postgres.internal.jdbc;

import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.DatabaseOptions.Pooling;
import io.flowfabric.postgres.internal.jdbc.Connections.Look;

import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.core.BaseConnection;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import javax.sql.DataSource;

/**
 * Connections of a DataSource that a user gave us, and uses too.
 *
 * <p>Nothing of ours stays on them: settings go along with each transaction, as behind a pooler,
 * and what a {@link Loan} has changed it puts back. Three connections are kept, two for wake-ups
 * and, once a session was opened, one for heartbeats, which must not wait for handlers that use up
 * the pool. All others are given back after each statement or transaction.
 */
public final class UserConnections implements ConnectionSource {
    /** How many connections a store keeps. */
    private static final int KEPT = 3;

    /** What is taken for the size of a pool that does not say it. */
    private static final int USUAL_SIZE = 10;

    private static final int LARGEST = 500;

    private final DataSource dataSource;
    private final DatabaseOptions options;
    private final ServerSettings settings;
    private final boolean listens;
    private volatile boolean closed;

    /** A connection for heartbeats that took too long, and is awaited by the next heartbeat. */
    private @Nullable CompletableFuture<Loan> coming;

    private UserConnections(DataSource dataSource, int size, String url, Look look) {
        this.dataSource = dataSource;
        this.listens = !look.pooled();
        this.options =
                DatabaseOptions.of(url)
                        .withConnections(size - KEPT)
                        .withPooling(look.pooled() ? Pooling.TRANSACTION : Pooling.NONE);
        this.settings = ServerSettings.of(options, look.version());
    }

    /**
     * Looks at the server behind a DataSource.
     *
     * @throws Unavailable when it gives out no connections of the Postgres driver or too few, when
     *     the server is too old, or transactions are not READ COMMITTED
     */
    public static UserConnections of(DataSource dataSource) {
        int size = size(dataSource);
        try (var connection = dataSource.getConnection()) {
            if (!connection.isWrapperFor(PGConnection.class)) {
                throw new Unavailable(
                        "The DataSource gives out %s, which is no connection of the Postgres driver and wraps none: name a DataSource of jdbc:postgresql."
                                .formatted(connection.getClass().getName()));
            }
            var metaData = connection.unwrap(BaseConnection.class).getMetaData();
            Connections.checkVersion(
                    "The server of the DataSource",
                    metaData.getDatabaseMajorVersion(),
                    metaData.getDatabaseProductVersion());
            Look look;
            try (var loan = Loan.foreign(connection)) {
                look = Connections.look(loan.connection());
            }
            var source = new UserConnections(dataSource, size, metaData.getURL(), look);
            source.checkIsolation(look);
            return source;
        } catch (SQLException e) {
            throw Failures.connecting("The DataSource", "No connection.", e);
        }
    }

    /** How many connections the pool has, as far as it can be asked. */
    private static int size(DataSource dataSource) {
        try {
            int size =
                    dataSource.isWrapperFor(HikariDataSource.class)
                            ? dataSource.unwrap(HikariDataSource.class).getMaximumPoolSize()
                            : USUAL_SIZE;
            if (size <= KEPT) {
                throw new Unavailable(
                        ("The pool has %d connections, and the store keeps %d of them (two for"
                             + " wake-ups, one for heartbeats): let it have %d at least, and as"
                             + " many more as the program uses at once.")
                                .formatted(size, KEPT, KEPT + 1));
            }
            return Math.min(size, LARGEST);
        } catch (SQLException e) {
            throw Failures.connecting("The DataSource", "No connection.", e);
        }
    }

    private void checkIsolation(Look look) {
        if (!look.isolation().equals(Connections.READ_COMMITTED)) {
            throw new Unavailable(
                    ("Transactions of the DataSource are %s by default: let them be %s, or open the"
                                    + " store by URL, with a pool of its own.")
                            .formatted(look.isolation(), Connections.READ_COMMITTED));
        }
    }

    @Override
    public DatabaseOptions options() {
        return options;
    }

    @Override
    public String settingsOfTransactions() {
        return settings.forTransaction();
    }

    @Override
    public String undoneSettings() {
        return "";
    }

    @Override
    public Loan borrow() {
        checkOpen();
        try {
            return lent(dataSource.getConnection(), Loan::foreign);
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), busy(), e);
        }
    }

    private String busy() {
        return "The DataSource of %s had no connection free: the program uses all of them, or the database is slow. Let the pool be larger."
                .formatted(options.server());
    }

    private interface Lending {
        Loan of(Connection connection) throws SQLException;
    }

    private static Loan lent(Connection connection, Lending lending) throws SQLException {
        try {
            return lending.of(connection);
        } catch (SQLException | RuntimeException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public Loan single(String purpose) {
        checkOpen();
        return kept();
    }

    private Loan kept() {
        try {
            return lent(dataSource.getConnection(), Loan::kept);
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), busy(), e);
        }
    }

    /** A pool may let us wait for longer than a session lives, so another thread waits for it. */
    @Override
    public synchronized Loan forHeartbeats(Duration patience) {
        checkOpen();
        var awaited =
                coming == null
                        ? CompletableFuture.supplyAsync(this::kept, UserConnections::begin)
                        : coming;
        coming = awaited;
        try {
            var loan = awaited.get(patience.toNanos(), TimeUnit.NANOSECONDS);
            coming = null;
            return loan;
        } catch (TimeoutException e) {
            throw new StoreFailure(busy(), false, e);
        } catch (ExecutionException e) {
            coming = null;
            throw e.getCause() instanceof RuntimeException known
                    ? known
                    : new StoreFailure(busy(), false, e);
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for a connection.", false, stop);
        }
    }

    private static void begin(Runnable work) {
        Thread.ofPlatform().daemon().name("flowfabric-connect").start(work);
    }

    @Override
    public int mostForHeartbeats() {
        return 1;
    }

    @Override
    public boolean reservesForHeartbeats() {
        return true;
    }

    @Override
    public boolean canListen() {
        return listens;
    }

    @Override
    public boolean isClosed() {
        return closed;
    }

    /** The DataSource is the user's, and stays open. */
    @Override
    public synchronized void close() {
        closed = true;
        if (coming != null) {
            // Whenever it comes, it goes back.
            var unused = coming.thenAccept(Loan::close);
            coming = null;
        }
    }
}
