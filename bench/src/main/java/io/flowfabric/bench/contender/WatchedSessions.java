package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** Many threads that each do one at a time, and how many of their connections wait for a lock. */
public final class WatchedSessions implements Contender {
    private static final long EVERY_MILLIS = 10;

    private static final String WAITING =
            "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";

    private final OneAtATime sessions;
    private final Login login;
    private final LongAdder samples = new LongAdder();
    private final LongAdder waiting = new LongAdder();
    private long done;

    public WatchedSessions(OneAtATime sessions, Login login) {
        this.sessions = sessions;
        this.login = login;
    }

    @Override
    public String key() {
        return sessions.key();
    }

    @Override
    public String name() {
        return sessions.name();
    }

    /** How many connections waited for a lock at a time. */
    public double lockWaits() {
        return (double) waiting.sum() / Math.max(1, samples.sum());
    }

    /** How many claims were given nothing, for each execution that was done. */
    public double emptyClaimsEach() {
        return (double) sessions.emptyClaims() / Math.max(1, done);
    }

    @Override
    public void submit(int executions) {
        sessions.submit(executions);
    }

    @Override
    public int ready() throws SQLException {
        return sessions.ready();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        int ready = ready();
        try (var connection = login.connect();
                var statement = connection.prepareStatement(WAITING);
                var watcher = Executors.newSingleThreadScheduledExecutor()) {
            var unused =
                    watcher.scheduleWithFixedDelay(
                            () -> look(statement),
                            EVERY_MILLIS,
                            EVERY_MILLIS,
                            TimeUnit.MILLISECONDS);
            try {
                return sessions.drain();
            } finally {
                done += ready;
                watcher.shutdown();
            }
        }
    }

    private void look(PreparedStatement statement) {
        try (var row = statement.executeQuery()) {
            row.next();
            waiting.add(row.getLong(1));
            samples.increment();
        } catch (SQLException e) {
            throw new IllegalStateException("The server does not say what waits.", e);
        }
    }

    @Override
    public void verify() throws SQLException {
        sessions.verify();
    }

    @Override
    public void clear() throws SQLException {
        sessions.clear();
    }

    @Override
    public void close() {
        sessions.close();
    }
}
