package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;

/** A server that was started anew may have the data of an earlier time. */
class ServerStartedAnewTest {
    private final SchemaName schema = TestPostgres.freshSchema();

    @BeforeEach
    void submitWork() {
        try (var store = PostgresStore.open(TestPostgres.options(), schema)) {
            store.submit(Submission.of("work", Payload.EMPTY).lane(Lane.of("mine")));
        }
    }

    @AfterEach
    void drop() throws SQLException {
        execute("drop schema %s cascade".formatted(schema));
    }

    @Test
    void the_first_process_that_meets_it_makes_all_look_up_their_lanes_again() throws SQLException {
        long before = generation();
        wasStartedSince();

        PostgresStore.open(TestPostgres.options(), schema).close();

        assertThat(generation()).isGreaterThan(before);
    }

    @Test
    void the_next_process_that_meets_it_changes_nothing() throws SQLException {
        wasStartedSince();
        PostgresStore.open(TestPostgres.options(), schema).close();
        long before = generation();

        PostgresStore.open(TestPostgres.options(), schema).close();

        assertThat(generation()).isEqualTo(before);
    }

    /** As if the server had been started another time before it was started last. */
    private void wasStartedSince() throws SQLException {
        execute(
                "update %s.event_log set server_started = server_started - interval '1 day'"
                        .formatted(schema));
    }

    private long generation() throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var row =
                        statement.executeQuery(
                                "select generation from %s.lane where name = 'mine'"
                                        .formatted(schema))) {
            row.next();
            return row.getLong(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
