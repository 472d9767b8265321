package io.flowfabric.postgres.internal.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.SQLExceptionOverride;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.DatabaseOptions.Pooling;

import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;

/** Where connections come from: the pool, and single ones beside it. */
public final class Connections {
    /** The oldest Postgres that has everything we use. */
    public static final int OLDEST_SERVER = 15;

    static final String READ_COMMITTED = "read committed";

    private static final Logger log = LoggerFactory.getLogger(Connections.class);

    private Connections() {}

    /**
     * The way to a server, once it was looked at.
     *
     * @param options with the pooling that was found
     * @param settings of each connection, or of each transaction where the pooling demands that
     */
    record Route(DatabaseOptions options, ServerSettings settings) {
        String settingsOfConnections() {
            return options.pooling().changesConnections() ? "" : settings.forConnection();
        }

        String undoneSettings() {
            return options.pooling().changesConnections() ? "" : settings.undoneForTransaction();
        }

        String settingsOfTransactions() {
            return options.pooling().changesConnections() ? settings.forTransaction() : "";
        }
    }

    /**
     * What a connection says about the server behind it.
     *
     * @param user as statements name it
     */
    record Look(
            int version, boolean pooled, boolean looksForClients, String isolation, String user) {}

    /**
     * Looks at a server and at the way there.
     *
     * @throws Unavailable when the login is refused, the server is too old, or a pooler makes it
     *     useless
     */
    static Route route(DatabaseOptions options) {
        var look = look(options, options.url());
        var pooling = pooling(options, look);
        var known = options.withPooling(pooling);
        var settings = ServerSettings.of(options, look.version);
        if (!pooling.changesConnections()) {
            return new Route(known, settings.andPeer(options, look.looksForClients));
        }
        if (!look.isolation.equals(READ_COMMITTED)) {
            throw new Unavailable(
                    ("%s: transactions of %s are %s by default, and behind a pooler that cannot be"
                         + " changed for a connection. Tell the server: alter role %s set"
                         + " default_transaction_isolation = '%s'.")
                            .formatted(
                                    options.server(),
                                    look.user,
                                    look.isolation,
                                    look.user,
                                    READ_COMMITTED));
        }
        var direct = options.directUrl();
        if (direct != null && look(options, direct).pooled) {
            throw new Unavailable(
                    "The direct URL of %s leads to a pooler as well: name the server itself."
                            .formatted(options.server()));
        }
        return new Route(known, settings);
    }

    private static Look look(DatabaseOptions options, String url) {
        var properties = loginProperties(options, options.applicationName());
        try (var connection = DriverManager.getConnection(url, properties)) {
            checkVersion(options, connection);
            return look(connection);
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), "No connection.", e);
        }
    }

    static Look look(Connection connection) throws SQLException {
        var sql =
                "select pg_backend_pid(), version() !~* 'mingw|visual|windows',"
                        + " current_setting('default_transaction_isolation'),"
                        + " quote_ident(current_user)";
        try (var statement = connection.createStatement();
                var result = statement.executeQuery(sql)) {
            result.next();
            // A pooler gives out numbers of its own, by which it knows what a client may cancel.
            return new Look(
                    connection.getMetaData().getDatabaseMajorVersion(),
                    connection.unwrap(PGConnection.class).getBackendPID() != result.getInt(1),
                    result.getBoolean(2),
                    result.getString(3),
                    result.getString(4));
        }
    }

    private static Pooling pooling(DatabaseOptions options, Look look) {
        if (options.pooling() != Pooling.DETECTED) {
            return options.pooling();
        }
        if (!look.pooled) {
            return Pooling.NONE;
        }
        log.info(
                "{} is behind a pooler, which is taken for one that changes connections between"
                        + " transactions: settings go along with each transaction, nothing is"
                        + " prepared, {}. DatabaseOptions.withPooling says what it can do.",
                options.server(),
                options.directUrl() == null
                        ? "and work from other processes is polled for"
                        : "and wake-ups are heard at the direct URL");
        return Pooling.TRANSACTION;
    }

    /**
     * A connection of its own, outside of any pool and without time limits: to listen, or to
     * migrate. It goes to the direct URL, if there is one. The caller closes it.
     *
     * @param purpose what {@code pg_stat_activity} shows behind the name of the application
     * @throws Unavailable when the login is refused or the server is too old
     */
    public static Connection single(DatabaseOptions options, String purpose) {
        var direct = options.directUrl();
        var properties = loginProperties(options, options.applicationName() + " " + purpose);
        try {
            var connection =
                    DriverManager.getConnection(
                            direct == null ? options.url() : direct, properties);
            try {
                checkVersion(options, connection);
                var look = look(connection);
                if (!look.pooled) {
                    execute(
                            connection,
                            ServerSettings.none()
                                    .andPeer(options, look.looksForClients)
                                    .forConnection());
                }
                connection.setNetworkTimeout(Runnable::run, 0);
                return connection;
            } catch (RuntimeException | SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), "No connection.", e);
        }
    }

    /**
     * A connection of its own, set up as those of the pool, that takes no longer than so to be
     * made, and whose statements take no longer on the server. The caller closes it, and says how
     * long to wait for answers.
     */
    static Connection within(Route route, String purpose, Duration patience) {
        var options = route.options();
        var properties = loginProperties(options, options.applicationName() + " " + purpose);
        properties.setProperty("connectTimeout", seconds(patience));
        properties.setProperty("loginTimeout", seconds(patience));
        properties.setProperty("socketTimeout", seconds(patience));
        try {
            var connection = DriverManager.getConnection(options.url(), properties);
            try {
                if (!options.pooling().changesConnections()) {
                    execute(
                            connection,
                            "%s; set statement_timeout = %d"
                                    .formatted(
                                            route.settingsOfConnections(),
                                            Math.min(Integer.MAX_VALUE, patience.toMillis())));
                }
                return connection;
            } catch (RuntimeException | SQLException e) {
                connection.close();
                throw e;
            }
        } catch (SQLException e) {
            throw Failures.connecting(options.server(), "No connection.", e);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Properties loginProperties(DatabaseOptions options, String name) {
        var properties = driverProperties(options);
        properties.setProperty("ApplicationName", name);
        if (options.user() != null) {
            properties.setProperty("user", options.user());
        }
        if (options.password() != null) {
            properties.setProperty("password", options.password());
        }
        return properties;
    }

    /** The pool, after its first connection has proved that the server can serve. */
    static HikariDataSource pool(Route route) {
        var options = route.options();
        var config = new HikariConfig();
        config.setPoolName("flowfabric");
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setDataSourceProperties(driverProperties(options));
        config.setMaximumPoolSize(options.connections());
        config.setConnectionTimeout(options.acquireTimeout().toMillis());
        if (!options.pooling().changesConnections()) {
            config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
            config.setConnectionInitSql(route.settingsOfConnections());
        }
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
        properties.setProperty("prepareThreshold", Integer.toString(prepareThreshold(options)));
        // Else the driver sets two things itself, and a pooler hands them on to others.
        properties.setProperty("assumeMinServerVersion", Integer.toString(OLDEST_SERVER));
        // Every statement stays prepared on every connection.
        properties.setProperty("preparedStatementCacheQueries", "1024");
        properties.setProperty("preparedStatementCacheSizeMiB", "16");
        return properties;
    }

    /** Nothing is prepared where it may be looked for on another connection to the server. */
    private static int prepareThreshold(DatabaseOptions options) {
        return switch (options.pooling()) {
            case NONE, TRANSACTION_PREPARED -> options.prepareThreshold();
            case DETECTED, TRANSACTION -> 0;
        };
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
