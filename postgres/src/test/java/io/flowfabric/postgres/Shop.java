package io.flowfabric.postgres;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Wakeups.Listening;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.postgres.internal.ready.WakeupNotifier;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * An application with a table of its own, in the database of a store, for tests. Each one is in a
 * schema of its own.
 */
final class Shop implements AutoCloseable {
    /** Short, so that tests can wait for it; long, compared with a statement. */
    static final Duration LOCK_TIMEOUT = Duration.ofMillis(400);

    private static final Lane PRELUDE = Lane.of("prelude");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store = open();

    Shop() throws SQLException {
        try (var connection = TestPostgres.connect()) {
            execute(connection, "create schema " + app());
            execute(connection, "create table " + orders() + " (id uuid primary key)");
        }
    }

    PostgresStore store() {
        return store;
    }

    SchemaName schema() {
        return schema;
    }

    /** The schema of the application. */
    String app() {
        return schema.text() + "_app";
    }

    /** Another process, as far as the store can tell. */
    PostgresStore open() {
        return PostgresStore.open(
                TestPostgres.options()
                        .withConnections(3)
                        .withServerTimeouts(Duration.ofSeconds(30), LOCK_TIMEOUT),
                schema);
    }

    /** A transaction of the application, as it is by default. */
    Connection begin() throws SQLException {
        return begin(Connection.TRANSACTION_READ_COMMITTED);
    }

    Connection begin(int isolation) throws SQLException {
        var connection = TestPostgres.connect();
        connection.setTransactionIsolation(isolation);
        connection.setAutoCommit(false);
        return connection;
    }

    UUID order(Connection connection) throws SQLException {
        var id = UUID.randomUUID();
        execute(connection, "insert into %s values ('%s')".formatted(orders(), id));
        return id;
    }

    long orders(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var results = statement.executeQuery("select count(*) from " + orders())) {
            results.next();
            return results.getLong(1);
        }
    }

    boolean has(UUID order) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var results =
                        statement.executeQuery(
                                "select from %s where id = '%s'".formatted(orders(), order))) {
            return results.next();
        }
    }

    private String orders() {
        return app() + ".orders";
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static Lane newLane() {
        return Lane.of("lane-" + UUID.randomUUID());
    }

    static String newKey() {
        return "key-" + UUID.randomUUID();
    }

    static Submission work(Lane lane) {
        return Submission.of("invoice", Payload.text("42")).lane(lane);
    }

    boolean knows(ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().isDone();
    }

    /** What a worker of a lane is given now. */
    List<ExecutionId> claim(Lane lane) {
        var session = Session.of("worker", "one", lane.name());
        store.sessions().open(session);
        return store.claims().claim(new Claim(session.id(), 1, 100)).leases().stream()
                .map(lease -> lease.fence().execution())
                .toList();
    }

    /** Waits until some statement of this shop waits for a lock. */
    void untilSomebodyWaits() throws SQLException {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            while (System.nanoTime() < end) {
                try (var results =
                        statement.executeQuery(
                                ("select from pg_stat_activity where wait_event_type = 'Lock' and"
                                                + " query like '%%%s.%%'")
                                        .formatted(schema.text()))) {
                    if (results.next()) {
                        return;
                    }
                }
            }
        }
        throw new AssertionError("nobody waits for a lock");
    }

    /** Wakes everyone for a lane, in a commit of its own. */
    void announce(Lane lane) throws SQLException {
        try (var connection = TestPostgres.connect()) {
            announce(connection, lane);
        }
    }

    private void announce(Connection connection, Lane lane) throws SQLException {
        try (var notify = connection.prepareStatement("select pg_notify(?, ?)")) {
            notify.setString(1, WakeupNotifier.channel(schema));
            notify.setString(2, WakeupNotifier.messageToAll(lane));
            notify.execute();
        }
    }

    /** Begins to hear the wake-ups of a store, and returns when it does. */
    Ear listenTo(PostgresStore listening) throws SQLException, InterruptedException {
        var ear = new Ear(listening);
        try (var connection = TestPostgres.connect()) {
            // A store begins to listen when it has got a connection for that.
            do {
                announce(connection, PRELUDE);
            } while (!ear.begun.await(50, TimeUnit.MILLISECONDS));
        }
        return ear;
    }

    /** Hears the wake-ups of a store. */
    static final class Ear implements AutoCloseable {
        private final BlockingQueue<Lane> heard = new LinkedBlockingQueue<>();
        private final CountDownLatch begun = new CountDownLatch(1);
        private final Listening listening;

        private Ear(PostgresStore store) {
            listening = store.wakeups().listen(this::hear);
        }

        private void hear(Lane lane) {
            if (lane.equals(PRELUDE)) {
                begun.countDown();
            } else if (begun.getCount() == 0) {
                // What comes before the prelude was told by a test before this one.
                heard.add(lane);
            }
        }

        Lane next() throws InterruptedException {
            var lane = heard.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            if (lane == null) {
                throw new AssertionError("nothing was heard");
            }
            return lane;
        }

        @Override
        public void close() {
            listening.close();
        }
    }

    @Override
    public void close() {
        store.close();
    }
}
