package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import org.jspecify.annotations.Nullable;

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
    private final ConnectionSource source;
    private final Retries retries;
    private final Semaphore permits;
    private final ConcurrentLinkedDeque<Loan> idle = new ConcurrentLinkedDeque<>();
    private volatile boolean closed;

    HeartbeatConnections(ConnectionSource source, Retries retries) {
        this.source = source;
        this.retries = retries;
        this.permits = new Semaphore(source.mostForHeartbeats(), true);
    }

    /** Sets a connection aside where others could take all of them before the first heartbeat. */
    void reserve(Duration patience) {
        if (source.reservesForHeartbeats() && idle.isEmpty() && permits.tryAcquire()) {
            try {
                if (idle.isEmpty()) {
                    idle.addFirst(source.forHeartbeats(patience));
                }
            } finally {
                permits.release();
            }
            if (closed) {
                close();
            }
        }
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
        var loan = kept == null ? source.forHeartbeats(patience) : kept;
        boolean good = false;
        try {
            loan.connection()
                    .setNetworkTimeout(
                            Runnable::run, (int) Math.min(Integer.MAX_VALUE, patience.toMillis()));
            try (var prepared =
                    Prepared.on(loan.connection(), source.settingsOfTransactions(), statement)) {
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
                idle.addFirst(loan);
            } else {
                loan.abort();
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
                        ("%s in use for %d ms: the database is slow or away. The heartbeat is"
                                        + " repeated while the session lives.")
                                .formatted(connections(), patience.toMillis()),
                        false,
                        new SQLException("no connection for a heartbeat"));
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for a connection.", false, stop);
        }
    }

    /** Closes every connection that is not in use; those are closed after it. */
    @Override
    public void close() {
        closed = true;
        for (var each = idle.poll(); each != null; each = idle.poll()) {
            each.close();
        }
    }

    private String connections() {
        return (source.mostForHeartbeats() == 1
                        ? "The connection for heartbeats to %s was"
                        : "Both connections for heartbeats to %s were")
                .formatted(source.options().server());
    }
}
