package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;

/** A store whose user owns its schema, and may do nothing else. */
@ResourceLock(TestPostgres.LONG_TRANSACTIONS)
class LeastRightsTest {
    private final SchemaName schema = TestPostgres.freshSchema();
    private final String user = schema.text() + "_user";

    @BeforeEach
    void create() throws SQLException {
        tell("create role %s login password 'x'".formatted(user));
        tell("create schema %s authorization %s".formatted(schema, user));
    }

    @AfterEach
    void drop() throws SQLException {
        tell("drop owned by %s cascade".formatted(user));
        tell("drop role " + user);
    }

    @Test
    void it_does_everything() throws SQLException {
        try (var store = open()) {
            var session = Session.of("worker", "1", "default");
            store.sessions().open(session);
            // So many that indexes of events are summarised.
            for (int number = 1; number <= 12; number++) {
                var works =
                        Stream.generate(() -> Submission.of("work", Payload.EMPTY))
                                .limit(200)
                                .toList();
                store.submissions().submit(works).forEach(Answer::orThrow);
                var leases = store.claims().claim(new Claim(session.id(), number, 200)).leases();
                store.leases()
                        .end(
                                leases.stream()
                                        .<Ending>map(
                                                lease ->
                                                        new Ending.Complete(
                                                                lease.fence(), Payload.EMPTY))
                                        .toList())
                        .forEach(Answer::orThrow);
            }
            for (Chore chore : Chore.values()) {
                assertThat(store.maintenance().tick(chore, 100).errors()).isZero();
            }

            assertThat(ask("select coalesce(sum(summarised), 0) > 0 from ${schema}.event_day"))
                    .isEqualTo("t");
        }
    }

    @Test
    void gates_stay_while_others_are_connected_whose_snapshots_are_hidden() throws SQLException {
        try (var store = open();
                var hidden = TestPostgres.connect()) {
            hidden.setAutoCommit(false);
            hidden.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            ask(hidden, "select 1");
            tell("update ${schema}.gate_sweep set begins_at = 0");
            for (int round = 0; round < 5; round++) {
                store.maintenance().tick(Chore.RETENTION, 10);
            }
            assertThat(step()).isEqualTo("fenced");

            hidden.rollback();
            tell("grant pg_read_all_stats to " + user);
            long patience = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (!step().equals("resting")) {
                assertThat(System.nanoTime()).isLessThan(patience);
                store.maintenance().tick(Chore.RETENTION, 10);
            }
        }
    }

    @Test
    void a_lane_is_looked_at_again_while_others_are_connected_whose_snapshots_are_hidden()
            throws SQLException {
        try (var store = open();
                var hidden = TestPostgres.connect()) {
            var lane = Lane.of("aged");
            ask(hidden, "select 1");
            var settings = LaneSettings.DEFAULT.ageing(Duration.ofMinutes(1));
            store.lanes().configure(lane, settings, new Attribution("ada", "a test"));
            store.maintenance().tick(Chore.TIMERS, 10);
            assertThat(lanesToRank()).isEqualTo("1");

            tell("grant pg_read_all_stats to " + user);
            long patience = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (!lanesToRank().equals("0")) {
                assertThat(System.nanoTime()).isLessThan(patience);
                try (var another = open()) {
                    another.maintenance().tick(Chore.TIMERS, 10);
                }
            }
        }
    }

    private String lanesToRank() throws SQLException {
        return ask("select count(*) from ${schema}.lane where ranked_by is not null");
    }

    private PostgresStore open() {
        return PostgresStore.open(
                TestPostgres.options().withLogin(user, "x").withConnections(2), schema);
    }

    private String step() throws SQLException {
        return ask("select step from ${schema}.gate_sweep");
    }

    private void tell(String command) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(schema.fill(command));
        }
    }

    private String ask(String question) throws SQLException {
        try (var connection = TestPostgres.connect()) {
            return ask(connection, question);
        }
    }

    private String ask(Connection connection, String question) throws SQLException {
        try (var statement = connection.createStatement();
                var results = statement.executeQuery(schema.fill(question))) {
            results.next();
            return results.getString(1);
        }
    }
}
