package io.flowfabric.postgres.internal.jdbc;

import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.postgres.DatabaseOptions;

import java.sql.SQLException;
import java.time.Duration;

/** A pool of our own, and single connections beside it. */
final class OwnConnections implements ConnectionSource {
    /** A second one is made while the first is in use, or hangs. */
    private static final int FOR_HEARTBEATS = 2;

    private final Connections.Route route;
    private final HikariDataSource pool;

    private OwnConnections(Connections.Route route, HikariDataSource pool) {
        this.route = route;
        this.pool = pool;
    }

    static OwnConnections open(DatabaseOptions options) {
        var route = Connections.route(options);
        return new OwnConnections(route, Connections.pool(route));
    }

    @Override
    public DatabaseOptions options() {
        return route.options();
    }

    @Override
    public String settingsOfTransactions() {
        return route.settingsOfTransactions();
    }

    @Override
    public String undoneSettings() {
        return route.undoneSettings();
    }

    @Override
    public Loan borrow() {
        checkOpen();
        try {
            return Loan.own(pool.getConnection());
        } catch (SQLException e) {
            throw Failures.connecting(options().server(), Connections.busy(options()), e);
        }
    }

    @Override
    public Loan single(String purpose) {
        return Loan.own(Connections.single(options(), purpose));
    }

    @Override
    public Loan forHeartbeats(Duration patience) {
        return Loan.own(Connections.within(route, "heartbeats", patience));
    }

    @Override
    public int mostForHeartbeats() {
        return FOR_HEARTBEATS;
    }

    @Override
    public boolean reservesForHeartbeats() {
        return false;
    }

    @Override
    public boolean canListen() {
        return !options().pooling().changesConnections() || options().directUrl() != null;
    }

    @Override
    public boolean isClosed() {
        return pool.isClosed();
    }

    @Override
    public void close() {
        pool.close();
    }
}
