package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** R14: a store behind a pooler in transaction mode, as it is opened by those who have one. */
class BehindPoolerTest {
    private final SchemaName schema = TestPostgres.freshSchema();

    @SuppressWarnings("NullAway.Init")
    private TransactionPooler pooler;

    @SuppressWarnings("NullAway.Init")
    private DatabaseOptions options;

    @BeforeEach
    void start() throws IOException {
        var server = TestPostgres.options();
        pooler = TransactionPooler.before(server);
        options = server.withUrl(pooler.url()).withConnections(3);
    }

    @AfterEach
    void stop() throws IOException {
        pooler.close();
    }

    @Test
    void work_is_done_and_nobody_hears_what_was_not_meant_for_them() throws SQLException {
        try (var store = PostgresStore.open(options, schema);
                var other = PostgresStore.open(options, schema)) {
            var session = Session.of("worker", "1", "default");
            store.sessions().open(session);
            for (int number = 1; number <= 10; number++) {
                var work = submit(number % 2 == 0 ? store : other);
                var lease =
                        store.claims()
                                .claim(new Claim(session.id(), number, 1))
                                .leases()
                                .getFirst();
                other.leases()
                        .end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)))
                        .forEach(Answer::orThrow);

                var view = store.queries().describe(List.of(work.id())).getFirst().orThrow();
                assertThat(view.state().publicState()).isEqualTo(PublicState.COMPLETED);
            }
            for (Chore chore : Chore.values()) {
                assertThat(store.maintenance().tick(chore, 10).errors()).isZero();
            }
            assertThat(listening()).as("a connection of others would be told").isZero();
        }
    }

    @Test
    void with_a_way_around_the_pooler_work_of_other_processes_is_heard() throws Exception {
        var around = options.withDirectUrl(TestPostgres.options().url());
        try (var store = PostgresStore.open(around, schema);
                var other = PostgresStore.open(options, schema)) {
            var heard = new LinkedBlockingQueue<Lane>();
            var listening = store.wakeups().listen(heard::add);
            try (listening) {
                // Until it listens, nothing is heard.
                Lane lane = null;
                for (int tries = 0; lane == null && tries < 300; tries++) {
                    submit(other);
                    lane = heard.poll(100, TimeUnit.MILLISECONDS);
                }

                assertThat(lane).as("what is heard within half a minute").isEqualTo(Lane.DEFAULT);
            }
        }
    }

    private static Submission submit(PostgresStore store) {
        var work = Submission.of("work", Payload.EMPTY);
        store.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return work;
    }

    /**
     * On how many looks, each at another connection to the server, that one listens to anything.
     */
    private int listening() throws SQLException {
        int listening = 0;
        try (var connection =
                        DriverManager.getConnection(
                                pooler.url(), options.user(), options.password());
                var statement = connection.createStatement()) {
            for (int look = 0; look < 20; look++) {
                try (var channels =
                        statement.executeQuery("select count(*) from pg_listening_channels()")) {
                    channels.next();
                    listening += channels.getInt(1);
                }
            }
        }
        return listening;
    }
}
