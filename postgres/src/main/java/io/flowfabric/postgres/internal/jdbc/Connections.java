package io.flowfabric.postgres.internal.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.StringJoiner;

/** Where connections come from: the pool, and single ones beside it. */
public final class Connections {
    /** The oldest Postgres that has everything we use. */
    public static final int OLDEST_SERVER = 15;

    /**
     * One plan per statement, made once, that stays good whatever the tables held when it was made:
     * by index, a row at a time. Tables that were empty then, or whose statistics are old, would
     * otherwise be read whole from then on.
     */
    private static final List<String> PLANNER =
            List.of(
                    "set plan_cache_mode = force_generic_plan",
                    "set enable_seqscan = off",
                    "set enable_bitmapscan = off",
                    "set enable_hashjoin = off",
                    "set enable_mergejoin = off",
                    "set jit = off");

    private Connections() {}

    /**
     * A connection of its own, outside of any pool and without time limits: to listen, or to
     * migrate. Whoever asks for it closes it.
     *
     * @param purpose what {@code pg_stat_activity} shows behind the name of the application
     * @throws Unavailable when the login is refused or the server is too old
     */
    public static Connection single(DatabaseOptions options, String purpose) {
        var properties = driverProperties(options);
        properties.setProperty("socketTimeout", "0");
        return open(options, purpose, properties);
    }

    /**
     * A connection of its own, set up as those of the pool, that takes no longer than so to be
     * made, and whose statements take no longer on the server. Whoever asks for it closes it, and
     * says how long to wait for answers.
     */
    static Connection within(DatabaseOptions options, String purpose, Duration patience) {
        var properties = driverProperties(options);
        properties.setProperty("connectTimeout", seconds(patience));
        properties.setProperty("loginTimeout", seconds(patience));
        properties.setProperty("socketTimeout", seconds(patience));
        var connection = open(options, purpose, properties);
        try (var statement = connection.createStatement()) {
            statement.execute(
                    settings(options)
                            + "; set statement_timeout = "
                            + Math.min(Integer.MAX_VALUE, patience.toMillis()));
            return connection;
        } catch (SQLException e) {
            try {
                connection.close();
            } catch (SQLException alsoBroken) {
                e.addSuppressed(alsoBroken);
            }
            throw Failures.connecting(options.server(), "No connection.", e);
        }
    }

    private static Connection open(DatabaseOptions options, String purpose, Properties properties) {
        properties.setProperty("ApplicationName", options.applicationName() + " " + purpose);
        if (options.user() != null) {
            properties.setProperty("user", options.user());
        }
        if (options.password() != null) {
            properties.setProperty("password", options.password());
        }
        try {
            var connection = DriverManager.getConnection(options.url(), properties);
            try {
                checkVersion(options, connection);
                return connection;
            } catch (RuntimeException | SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), "No connection.", e);
        }
    }

    /** The pool, after its first connection has proved that the server can serve. */
    static HikariDataSource pool(DatabaseOptions options) {
        var config = new HikariConfig();
        config.setPoolName("flowfabric");
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setDataSourceProperties(driverProperties(options));
        config.setMaximumPoolSize(options.connections());
        config.setConnectionTimeout(options.acquireTimeout().toMillis());
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setConnectionInitSql(settings(options));
        config.setExceptionOverride(new LeaveTheWrongServer());
        try {
            var pool = new HikariDataSource(config);
            try (var connection = pool.getConnection()) {
                checkVersion(options, connection);
                return pool;
            } catch (RuntimeException | SQLException e) {
                pool.close();
                throw e;
            }
        } catch (PoolInitializationException e) {
            var cause = e.getCause();
            throw Failures.connecting(
                    options.server(),
                    busy(options),
                    cause instanceof SQLException sql ? sql : new SQLException(e));
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), busy(options), e);
        }
    }

    /** What to say when no connection became free in time. */
    static String busy(DatabaseOptions options) {
        return ("All %d connections to %s were in use for %d ms: the database is slow, or"
                        + " the pool too small.")
                .formatted(
                        options.connections(),
                        options.server(),
                        options.acquireTimeout().toMillis());
    }

    private static void checkVersion(DatabaseOptions options, Connection connection)
            throws SQLException {
        var server = connection.getMetaData();
        checkVersion(
                options.server(),
                server.getDatabaseMajorVersion(),
                server.getDatabaseProductVersion());
    }

    static void checkVersion(String server, int major, String version) {
        if (major < OLDEST_SERVER) {
            throw new Unavailable(
                    "%s is version %s, and %d is the oldest that can serve: upgrade it."
                            .formatted(server, version, OLDEST_SERVER));
        }
    }

    private static Properties driverProperties(DatabaseOptions options) {
        var properties = new Properties();
        properties.setProperty("ApplicationName", options.applicationName());
        properties.setProperty("connectTimeout", seconds(options.connectTimeout()));
        properties.setProperty("loginTimeout", seconds(options.connectTimeout()));
        properties.setProperty("socketTimeout", seconds(options.socketTimeout()));
        properties.setProperty("tcpKeepAlive", "true");
        properties.setProperty("prepareThreshold", Integer.toString(options.prepareThreshold()));
        // Every statement stays prepared on every connection.
        properties.setProperty("preparedStatementCacheQueries", "1024");
        properties.setProperty("preparedStatementCacheSizeMiB", "16");
        return properties;
    }

    private static String settings(DatabaseOptions options) {
        var sql = new StringJoiner("; ");
        PLANNER.forEach(sql::add);
        if (!options.statementTimeout().isZero()) {
            sql.add("set statement_timeout = " + options.statementTimeout().toMillis());
        }
        if (!options.lockTimeout().isZero()) {
            sql.add("set lock_timeout = " + options.lockTimeout().toMillis());
        }
        return sql.toString();
    }

    /** The driver counts in whole seconds, and takes zero for no limit. */
    private static String seconds(Duration duration) {
        return Long.toString(Math.max(1, duration.toSeconds()));
    }

    /** A demoted primary keeps its connections; the pool must not keep them too. */
    private static final class LeaveTheWrongServer implements SQLExceptionOverride {
        @java.lang.Override
        public Override adjudicate(SQLException e) {
            return Failures.wrongServer(e) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
        }
    }
}
