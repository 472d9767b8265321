package io.flowfabric.bench.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.bench.server.Login;

import java.sql.SQLException;

/** The connections of another system, and a look into its tables. */
final class PeerDatabase implements AutoCloseable {
    /** What polling and heartbeats use besides the threads. */
    private static final int OWN_CONNECTIONS = 4;

    private final HikariDataSource pool;

    PeerDatabase(Login login, int workers) {
        var config = new HikariConfig();
        // Without the rewriting, the driver would send a batch of inserts row by row.
        config.setJdbcUrl(login.url() + "&prepareThreshold=1&reWriteBatchedInserts=true");
        config.setUsername(login.user());
        config.setPassword(login.password());
        config.setMaximumPoolSize(workers + OWN_CONNECTIONS);
        pool = new HikariDataSource(config);
    }

    HikariDataSource pool() {
        return pool;
    }

    int count(String sql) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getInt(1);
        }
    }

    void execute(String sql) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
