package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

/** A store on connections of the program's own DataSource. */
class UserDataSourceTest {
    private final SchemaName schema = TestPostgres.freshSchema();

    @Test
    void work_is_done_on_a_pool_that_is_left_as_it_was() throws SQLException {
        var config = config(5);
        config.setAutoCommit(false);
        try (var pool = new HikariDataSource(config)) {
            try (var store = PostgresStore.open(pool, schema)) {
                workIsDone(store);
            }

            assertThat(pool.isClosed()).isFalse();
            var connections = new ArrayList<Connection>();
            try {
                // All of them, also those that were kept.
                for (int i = 0; i < 5; i++) {
                    var connection = pool.getConnection();
                    connections.add(connection);
                    assertThat(connection.getAutoCommit()).isFalse();
                    assertThat(connection.getNetworkTimeout()).isZero();
                    assertThat(text(connection, "show enable_seqscan")).isEqualTo("on");
                    assertThat(text(connection, "show lock_timeout")).isEqualTo("0");
                    assertThat(text(connection, "show plan_cache_mode")).isEqualTo("auto");
                    assertThat(text(connection, "select count(*) from pg_listening_channels()"))
                            .isEqualTo("0");
                }
            } finally {
                for (var connection : connections) {
                    connection.close();
                }
            }
        }
    }

    @Test
    void work_is_done_on_a_data_source_that_pools_nothing() {
        try (var store = PostgresStore.open(plain(), schema)) {
            workIsDone(store);
        }
    }

    @Test
    void the_settings_of_the_store_hold_for_its_own_statements() {
        try (var pool = new HikariDataSource(config(4));
                var store = PostgresStore.open(pool, schema)) {
            assertThat(store.database().options().lockTimeout()).isEqualTo(Duration.ofSeconds(10));
            assertThat(store.database().options().connections()).isEqualTo(1);
            workIsDone(store);
        }
    }

    @Test
    void heartbeats_go_on_while_the_program_uses_every_connection() throws SQLException {
        var config = config(5);
        config.setConnectionTimeout(300);
        try (var pool = new HikariDataSource(config);
                var store = PostgresStore.open(pool, schema)) {
            var session = Session.of("worker", "1", "default");
            store.sessions().open(session);
            var taken = new ArrayList<Connection>();
            try {
                takeAll(pool, taken);

                for (int beat = 0; beat < 3; beat++) {
                    store.sessions()
                            .heartbeat(List.of(Heartbeat.of(session.id())))
                            .forEach(Answer::orThrow);
                }
                assertThatThrownBy(() -> submit(store))
                        .isInstanceOf(StoreFailure.class)
                        .hasMessageContaining("had no connection free");
            } finally {
                for (var connection : taken) {
                    connection.close();
                }
            }

            submit(store);
        }
    }

    @Test
    void a_session_is_not_opened_without_a_connection_for_its_heartbeats() throws SQLException {
        var config = config(4);
        config.setConnectionTimeout(300);
        try (var pool = new HikariDataSource(config);
                var store = PostgresStore.open(pool, schema)) {
            var taken = new ArrayList<Connection>();
            try {
                takeAll(pool, taken);

                assertThatThrownBy(
                                () -> store.sessions().open(Session.of("worker", "1", "default")))
                        .isInstanceOf(StoreFailure.class);
            } finally {
                for (var connection : taken) {
                    connection.close();
                }
            }
            store.sessions().open(Session.of("worker", "1", "default"));
        }
    }

    @Test
    void work_of_other_processes_is_heard() throws InterruptedException {
        try (var pool = new HikariDataSource(config(5));
                var store = PostgresStore.open(pool, schema);
                var other = PostgresStore.open(TestPostgres.options().withConnections(1), schema)) {
            var heard = new LinkedBlockingQueue<Lane>();
            var listening = store.wakeups().listen(heard::add);
            try (listening) {
                // Until it listens, nothing is heard.
                Lane lane = null;
                for (int tries = 0; lane == null && tries < 300; tries++) {
                    submit(other);
                    lane = heard.poll(100, TimeUnit.MILLISECONDS);
                }

                assertThat(lane).isEqualTo(Lane.DEFAULT);
            }
        }
    }

    @Test
    void a_pool_that_is_too_small_is_refused_with_the_number_that_is_needed() {
        try (var pool = new HikariDataSource(config(3))) {
            assertThatThrownBy(() -> PostgresStore.open(pool, schema))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("has 3 connections")
                    .hasMessageContaining("4 at least");
        }
    }

    @Test
    void a_pool_of_stricter_transactions_is_refused() {
        var config = config(5);
        config.setTransactionIsolation("TRANSACTION_REPEATABLE_READ");
        try (var pool = new HikariDataSource(config)) {
            assertThatThrownBy(() -> PostgresStore.open(pool, schema))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("repeatable read");
        }
    }

    @Test
    void a_transaction_of_the_program_is_never_ended_by_the_store() {
        try (var pool = new HikariDataSource(config(6));
                var store = PostgresStore.open(new TransactionAwareDataSourceProxy(pool), schema)) {
            var program = new TransactionTemplate(new DataSourceTransactionManager(pool));
            program.executeWithoutResult(
                    status -> {
                        var connection = DataSourceUtils.getConnection(pool);
                        try (var statement = connection.createStatement()) {
                            statement.execute("select 1");
                        } catch (SQLException e) {
                            throw new IllegalStateException(e);
                        }
                        assertThatThrownBy(() -> submit(store))
                                .isInstanceOf(Unavailable.class)
                                .hasMessageContaining("name the pool itself");
                    });
            submit(store);
        }
    }

    private static void takeAll(DataSource pool, List<Connection> taken) throws SQLException {
        // Those for wake-ups are taken by threads of their own, perhaps a little later.
        while (true) {
            try {
                taken.add(pool.getConnection());
            } catch (SQLException none) {
                return;
            }
        }
    }

    private void workIsDone(PostgresStore store) {
        var session = Session.of("worker", "1", "default");
        store.sessions().open(session);
        for (int number = 1; number <= 10; number++) {
            var id = submit(store);
            var lease =
                    store.claims().claim(new Claim(session.id(), number, 1)).leases().getFirst();
            store.sessions().heartbeat(List.of(Heartbeat.of(session.id())));
            store.leases()
                    .end(List.of(new Ending.Complete(lease.fence(), Payload.EMPTY)))
                    .forEach(Answer::orThrow);

            var view = store.queries().describe(List.of(id)).getFirst().orThrow();
            assertThat(view.state().publicState()).isEqualTo(PublicState.COMPLETED);
        }
        for (Chore chore : Chore.values()) {
            assertThat(store.maintenance().tick(chore, 10).errors()).isZero();
        }
    }

    private static ExecutionId submit(PostgresStore store) {
        var work = Submission.of("work", Payload.EMPTY);
        store.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return work.id();
    }

    private static HikariConfig config(int size) {
        var config = new HikariConfig();
        var options = TestPostgres.options();
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setMaximumPoolSize(size);
        return config;
    }

    private static DataSource plain() {
        var options = TestPostgres.options();
        var plain = new PGSimpleDataSource();
        plain.setUrl(options.url());
        plain.setUser(options.user());
        plain.setPassword(options.password());
        return plain;
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        } finally {
            if (!connection.getAutoCommit()) {
                connection.rollback();
            }
        }
    }
}
