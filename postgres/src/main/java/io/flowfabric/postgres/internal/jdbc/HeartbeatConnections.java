package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * The connections that heartbeats have to themselves, beside the pool.
 *
 * <p>A session lives by its heartbeats, so they wait neither for a pool whose connections are all
 * in use, nor for a connection that hangs. One connection is enough and stays open; a second one is
 * made while the first is in use. One that fails, or has not answered in time, is closed, so that
 * the next try has another.
 */
final class HeartbeatConnections implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(HeartbeatConnections.class);

    private static final int MOST = 2;

    private final Connections.Route route;
    private final Retries retries;
    private final Semaphore permits = new Semaphore(MOST, true);
    private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    HeartbeatConnections(Connections.Route route, Retries retries) {
        this.route = route;
        this.retries = retries;
    }

    /** Runs statements here, each no longer than so: to connect, to wait and to be answered. */
    Executor within(Duration patience) {
        return new Executor() {
            @Override
            public <T extends @Nullable Object> T run(NamedStatement statement, Call<T> call) {
                return retries.run(statement.name(), () -> permitted(patience, statement, call));
            }
        };
    }

    private <T extends @Nullable Object> T permitted(
            Duration patience, NamedStatement statement, Executor.Call<T> call) {
        acquire(patience);
        try {
            return once(patience, statement, call);
        } finally {
            permits.release();
        }
    }

    private <T extends @Nullable Object> T once(
            Duration patience, NamedStatement statement, Executor.Call<T> call) {
        if (closed) {
            throw new Unavailable("The store is closed; open another one.");
        }
        var kept = idle.pollFirst();
        var connection = kept == null ? Connections.within(route, "heartbeats", patience) : kept;
        boolean good = false;
        try {
            connection.setNetworkTimeout(
                    Runnable::run, (int) Math.min(Integer.MAX_VALUE, patience.toMillis()));
            try (var prepared =
                    Prepared.on(connection, route.settingsOfTransactions(), statement)) {
                T answer = call.on(prepared);
                good = true;
                return answer;
            }
        } catch (SQLException e) {
            if (Failures.rolledBack(e)) {
                throw new RolledBack(e);
            }
            throw Failures.of(statement.name(), e, true);
        } finally {
            if (good) {
                idle.addFirst(connection);
            } else {
                abort(connection);
            }
            if (closed) {
                close();
            }
        }
    }

    private void acquire(Duration patience) {
        try {
            if (!permits.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new StoreFailure(
                        ("Both connections for heartbeats to %s were in use for %d ms: the database"
                                        + " is slow or away. The heartbeat is repeated while the"
                                        + " session lives.")
                                .formatted(route.options().server(), patience.toMillis()),
                        false,
                        new SQLException("no connection for a heartbeat"));
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for a connection.", false, stop);
        }
    }

    /** Without a word to the server, which may not be there to hear it. */
    private static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException e) {
            log.debug("A connection for heartbeats could not be closed", e);
        }
    }

    /** Closes every connection that is not in use; those are closed after it. */
    @Override
    public void close() {
        closed = true;
        for (var each = idle.poll(); each != null; each = idle.poll()) {
            try {
                each.close();
            } catch (SQLException e) {
                log.debug("A connection for heartbeats could not be closed", e);
            }
        }
    }
}
