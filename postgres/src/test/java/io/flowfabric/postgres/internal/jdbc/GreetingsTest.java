package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.Test;
import org.postgresql.PGConnection;

import java.lang.ref.WeakReference;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** What is remembered of connections that were asked which server they lead to. */
class GreetingsTest {
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final Greetings greetings = new Greetings();
    private final AtomicInteger newServers = new AtomicInteger();

    GreetingsTest() {
        greetings.begin(
                statement("select 'today' as started, false as unnoted"),
                statement("select 1"),
                newServers::incrementAndGet);
    }

    @Test
    void a_closed_connection_is_not_kept() throws SQLException {
        var closed = new ArrayList<WeakReference<PGConnection>>();
        for (int i = 0; i < 5; i++) {
            try (var connection = TestPostgres.connect()) {
                greetings.meet(connection);
                closed.add(new WeakReference<>(connection.unwrap(PGConnection.class)));
            }
        }

        long begun = System.nanoTime();
        while (closed.stream().anyMatch(connection -> connection.get() != null)
                && System.nanoTime() - begun < LONGEST.toNanos()) {
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(closed).allMatch(connection -> connection.get() == null);
    }

    @Test
    void connections_to_the_same_server_are_no_news() throws SQLException {
        for (int i = 0; i < 2; i++) {
            try (var connection = TestPostgres.connect()) {
                greetings.meet(connection);
                greetings.meet(connection);
            }
        }

        assertThat(newServers).hasValue(1);
    }

    private static NamedStatement statement(String sql) {
        return NamedStatement.parse("greeting", sql);
    }
}
