package io.flowfabric.postgres;

import io.flowfabric.core.Invalid;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * How to reach a Postgres, and how long to wait for it.
 *
 * @param url {@code jdbc:postgresql://host:port/database}
 * @param user null when the URL or the environment says it
 * @param password null when the URL or the environment says it
 * @param applicationName what {@code pg_stat_activity} shows
 * @param connections the fixed size of the pool; a few per core of the server serve best. Beside it
 *     a process has two for wake-ups and, while workers run, one or two for their heartbeats
 * @param acquireTimeout how long a call waits for a free connection
 * @param connectTimeout how long a new connection may take
 * @param statementTimeout after which the server gives up a statement; zero leaves it to the server
 * @param lockTimeout after which the server gives up waiting for a lock; zero leaves it to the
 *     server
 * @param socketTimeout after which a silent server is given up; longer than {@code
 *     statementTimeout}, so that its answer comes first
 * @param clientTimeouts after which the server gives us up
 * @param prepareThreshold from which use on a statement is prepared on the server; zero for never
 * @param pooling what stands between us and the server
 * @param directUrl the way around a pooler, for connections that must be one and the same from
 *     beginning to end: to listen for wake-ups, and to migrate; null when {@code url} serves
 */
public record DatabaseOptions(
        String url,
        @Nullable String user,
        @Nullable String password,
        String applicationName,
        int connections,
        Duration acquireTimeout,
        Duration connectTimeout,
        Duration statementTimeout,
        Duration lockTimeout,
        Duration socketTimeout,
        ClientTimeouts clientTimeouts,
        int prepareThreshold,
        Pooling pooling,
        @Nullable String directUrl) {

    private static final String SCHEME = "jdbc:postgresql:";

    /** A pool this large is a queue inside the server instead of one in front of it. */
    private static final int MAX_CONNECTIONS = 500;

    private static final Duration LONGEST = Duration.ofHours(1);

    /** What stands between a program and its Postgres. */
    public enum Pooling {
        /**
         * It is found out when the store is opened: any pooler is taken for {@link #TRANSACTION}.
         */
        DETECTED,
        /** Nothing, or a pooler that gives each connection a server's connection to itself. */
        NONE,
        /**
         * A pooler that may give every transaction another connection to the server. Nothing is
         * prepared and no setting outlives its transaction.
         */
        TRANSACTION,
        /** Such a pooler that keeps prepared statements, as PgBouncer 1.21 and later can. */
        TRANSACTION_PREPARED;

        /** Whether the next transaction may run on another connection to the server. */
        public boolean changesConnections() {
            return this == TRANSACTION || this == TRANSACTION_PREPARED;
        }
    }

    /**
     * After which the server gives up a client that is frozen or gone, and with it the locks that
     * the client holds. Zero leaves one to the server.
     *
     * @param idleInTransaction since the last statement of an open transaction
     * @param transaction since a transaction began, on Postgres 17 and later; longer than the
     *     statement timeout, so that the latter comes first
     * @param peer since data was sent that the client has not taken
     */
    public record ClientTimeouts(Duration idleInTransaction, Duration transaction, Duration peer) {
        /**
         * The first and the last are shorter than a session lives (30 s), so that what a frozen
         * worker has locked is free before its work is taken over. A transaction may take longer
         * than the longest statement (30 s), so its limit only catches what slips through the
         * others.
         */
        public static final ClientTimeouts DEFAULT =
                new ClientTimeouts(
                        Duration.ofSeconds(10), Duration.ofSeconds(60), Duration.ofSeconds(15));

        public ClientTimeouts {
            duration("idle in transaction timeout", Duration.ZERO, idleInTransaction);
            duration("transaction timeout", Duration.ZERO, transaction);
            duration("peer timeout", Duration.ZERO, peer);
        }
    }

    public DatabaseOptions {
        url("url", url);
        if (directUrl != null) {
            url("direct url", directUrl);
        }
        range("connections", 1, connections, MAX_CONNECTIONS);
        range("prepare threshold", 0, prepareThreshold, Integer.MAX_VALUE);
        duration("acquire timeout", Duration.ofMillis(250), acquireTimeout);
        duration("connect timeout", Duration.ofSeconds(1), connectTimeout);
        duration("statement timeout", Duration.ZERO, statementTimeout);
        duration("lock timeout", Duration.ZERO, lockTimeout);
        duration("socket timeout", Duration.ofSeconds(1), socketTimeout);
        if (socketTimeout.compareTo(statementTimeout) <= 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "socket timeout",
                    "%s is not longer than the statement timeout of %s."
                            .formatted(socketTimeout, statementTimeout));
        }
        var transaction = clientTimeouts.transaction();
        if (!transaction.isZero() && transaction.compareTo(statementTimeout) <= 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "transaction timeout",
                    "%s is not longer than the statement timeout of %s."
                            .formatted(transaction, statementTimeout));
        }
    }

    /** The defaults for a server. */
    public static DatabaseOptions of(String url) {
        return new DatabaseOptions(
                url,
                null,
                null,
                "flowfabric",
                8,
                Duration.ofSeconds(10),
                Duration.ofSeconds(10),
                Duration.ofSeconds(30),
                Duration.ofSeconds(10),
                Duration.ofSeconds(45),
                ClientTimeouts.DEFAULT,
                1,
                Pooling.DETECTED,
                null);
    }

    /** The defaults for a server and a login. */
    public static DatabaseOptions of(String url, String user, String password) {
        return of(url).withLogin(user, password);
    }

    /** These options for another server, or another way to it. */
    public DatabaseOptions withUrl(String newUrl) {
        return with(draft -> draft.url = newUrl);
    }

    /** These options with another login; null for what the URL or the environment says. */
    public DatabaseOptions withLogin(@Nullable String newUser, @Nullable String newPassword) {
        return with(
                draft -> {
                    draft.user = newUser;
                    draft.password = newPassword;
                });
    }

    /** These options with another name in {@code pg_stat_activity}. */
    public DatabaseOptions withApplicationName(String name) {
        return with(draft -> draft.applicationName = name);
    }

    /** These options with another size of the pool. */
    public DatabaseOptions withConnections(int count) {
        return with(draft -> draft.connections = count);
    }

    /** These options with another time that a call waits for a free connection. */
    public DatabaseOptions withAcquireTimeout(Duration timeout) {
        return with(draft -> draft.acquireTimeout = timeout);
    }

    /** The timeouts of the server; zero leaves one to the server. */
    public DatabaseOptions withServerTimeouts(Duration statement, Duration lock) {
        return with(
                draft -> {
                    draft.statementTimeout = statement;
                    draft.lockTimeout = lock;
                });
    }

    /** These options with other times after which the server gives us up. */
    public DatabaseOptions withClientTimeouts(ClientTimeouts timeouts) {
        return with(draft -> draft.clientTimeouts = timeouts);
    }

    /** These options with what is known of a pooler, instead of looking for one. */
    public DatabaseOptions withPooling(Pooling known) {
        return with(draft -> draft.pooling = known);
    }

    /** These options with a way around the pooler, so that wake-ups are heard and not polled. */
    public DatabaseOptions withDirectUrl(String around) {
        return with(draft -> draft.directUrl = around);
    }

    /** These options with another use from which on a statement is prepared on the server. */
    public DatabaseOptions withPrepareThreshold(int uses) {
        return with(draft -> draft.prepareThreshold = uses);
    }

    private DatabaseOptions with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.options();
    }

    /** Without the password, and without the parameters of the URL, which may contain it. */
    @Override
    public String toString() {
        return "%s, %d connections".formatted(server(), connections);
    }

    /** The server as a person would name it. */
    public String server() {
        var address = url.substring(SCHEME.length());
        int parameters = address.indexOf('?');
        return "Postgres at "
                + (parameters < 0 ? address : address.substring(0, parameters)).replace("//", "");
    }

    private static void url(String field, String value) {
        if (!value.startsWith(SCHEME)) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_URL,
                    field,
                    "it does not begin with %s//host:port/database.".formatted(SCHEME));
        }
    }

    private static void range(String field, int least, int value, int most) {
        if (value < least || value > most) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    field,
                    "%d is outside of %d to %d.".formatted(value, least, most));
        }
    }

    private static void duration(String field, Duration least, Duration value) {
        if (value.compareTo(least) < 0 || value.compareTo(LONGEST) > 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    field,
                    "%s is outside of %s to %s.".formatted(value, least, LONGEST));
        }
    }

    /** Options whose fields can be set one by one; what cannot be changed is taken as it is. */
    private static final class Draft {
        private final DatabaseOptions base;
        private String url;
        private @Nullable String user;
        private @Nullable String password;
        private String applicationName;
        private int connections;
        private Duration acquireTimeout;
        private Duration statementTimeout;
        private Duration lockTimeout;
        private ClientTimeouts clientTimeouts;
        private int prepareThreshold;
        private Pooling pooling;
        private @Nullable String directUrl;

        Draft(DatabaseOptions base) {
            this.base = base;
            url = base.url;
            user = base.user;
            password = base.password;
            applicationName = base.applicationName;
            connections = base.connections;
            acquireTimeout = base.acquireTimeout;
            statementTimeout = base.statementTimeout;
            lockTimeout = base.lockTimeout;
            clientTimeouts = base.clientTimeouts;
            prepareThreshold = base.prepareThreshold;
            pooling = base.pooling;
            directUrl = base.directUrl;
        }

        DatabaseOptions options() {
            return new DatabaseOptions(
                    url,
                    user,
                    password,
                    applicationName,
                    connections,
                    acquireTimeout,
                    base.connectTimeout,
                    statementTimeout,
                    lockTimeout,
                    base.socketTimeout,
                    clientTimeouts,
                    prepareThreshold,
                    pooling,
                    directUrl);
        }
    }
}
