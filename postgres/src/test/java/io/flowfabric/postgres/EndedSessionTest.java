package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

/** A session that ends is buried by the call that ends it, once no claim of it is under way. */
class EndedSessionTest {
    private static final Duration SOON = Duration.ofSeconds(20);

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();
    private final Connection holder = connect();
    private final Connection claim = connect();

    @AfterEach
    void close() throws SQLException {
        holder.close();
        claim.close();
        fixture.close();
    }

    @Test
    void it_is_looked_after_again_where_a_claim_took_its_lock_behind_the_first_look()
            throws SQLException {
        var session = Session.of("worker", "1", "default");
        store.sessions().open(session);
        // The call has seen that there is no claim, and cannot read yet what the session holds.
        execute(holder, "lock table $.receipt in access exclusive mode");
        var ended = CompletableFuture.runAsync(() -> store.sessions().close(session.id()));
        awaitWaiter(holder, ended);
        execute(
                claim,
                "select from $.session where id = '%s' for key share"
                        .formatted(session.id().uuid()));
        holder.rollback();

        awaitWaiter(claim, ended);
        claim.rollback();

        assertThat(ended).succeedsWithin(SOON);
        assertThat(fixture.number(filled("select count(*) from $.session where buried")))
                .isEqualTo(1);
    }

    private static Connection connect() {
        var server = TestServer.get();
        try {
            var connection =
                    DriverManager.getConnection(server.url(), server.user(), server.password());
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private String filled(String sql) {
        return sql.replace("$", fixture.schema().text());
    }

    private void execute(Connection on, String sql) throws SQLException {
        try (var statement = on.createStatement()) {
            statement.execute(filled(sql));
        }
    }

    /** Waits until the call is held up by what this connection has locked. */
    private static void awaitWaiter(Connection locked, Future<?> call) throws SQLException {
        try (var waiters =
                locked.prepareStatement(
                        "select exists (select from pg_locks l where not l.granted and"
                                + " pg_backend_pid() = any(pg_blocking_pids(l.pid)))")) {
            for (boolean waits = false; !waits; ) {
                assertThat(call.isDone()).as("it is over, and waited for nobody").isFalse();
                try (var row = waiters.executeQuery()) {
                    row.next();
                    waits = row.getBoolean(1);
                }
            }
        }
    }
}
