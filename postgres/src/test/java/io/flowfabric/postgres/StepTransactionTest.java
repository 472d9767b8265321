package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A step and rows of the program in one commit. */
class StepTransactionTest {
    private static final Attribution ADA = new Attribution("ada", "because");
    private static final Payload PAID = Payload.text("paid");

    private final SchemaName schema = TestPostgres.freshSchema();
    private final String rows = schema.text() + "_rows";
    private final Session session = Session.of("worker", "1", "default");

    @SuppressWarnings("NullAway.Init")
    private PostgresStore store;

    @BeforeEach
    void open() throws SQLException {
        store =
                PostgresStore.open(
                        TestPostgres.options()
                                .withConnections(3)
                                .withServerTimeouts(Duration.ofSeconds(30), Duration.ofMillis(400)),
                        schema);
        store.sessions().open(session);
        try (var connection = TestPostgres.connect()) {
            execute(connection, "create table " + rows + " (id integer)");
        }
    }

    @AfterEach
    void close() throws SQLException {
        store.close();
        try (var connection = TestPostgres.connect()) {
            execute(connection, "drop table " + rows);
        }
    }

    @Test
    void the_rows_and_the_step_are_there_together() throws Exception {
        var fence = begun(store);

        var step = store.transaction(fence, "pay", this::insertOne);

        assertThat(step.content()).isEqualTo(PAID);
        assertThat(count()).isEqualTo(1);
        assertThat(steps(fence)).containsExactly(step);
    }

    @Test
    void what_is_recorded_already_is_answered_and_not_done_again() throws Exception {
        var fence = begun(store);
        var first = store.transaction(fence, "pay", this::insertOne);

        // As after a crash between the commit and its answer.
        var again = store.transaction(fence, "pay", this::insertOne);

        assertThat(again).isEqualTo(first);
        assertThat(count()).isEqualTo(1);
    }

    @Test
    void what_fails_leaves_neither() {
        var fence = begun(store);

        assertThatThrownBy(
                        () ->
                                store.transaction(
                                        fence,
                                        "pay",
                                        connection -> {
                                            insertOne(connection);
                                            throw new IOException("no answer");
                                        }))
                .isInstanceOf(IOException.class);

        assertThat(count()).isZero();
        assertThat(steps(fence)).isEmpty();
    }

    @Test
    void a_stale_worker_leaves_neither() {
        var fence = begun(store);

        assertThatThrownBy(
                        () ->
                                store.transaction(
                                        fence,
                                        "pay",
                                        connection -> {
                                            revoke(fence);
                                            return insertOne(connection);
                                        }))
                .isInstanceOf(LeaseLost.class);

        assertThat(count()).isZero();
        assertThat(steps(fence)).isEmpty();
    }

    @Test
    void a_connection_that_is_cut_before_the_commit_leaves_neither_and_the_next_try_both()
            throws Exception {
        var fence = begun(store);
        var tries = new AtomicInteger();
        TransactionBody cutOnce =
                connection -> {
                    var content = insertOne(connection);
                    if (tries.getAndIncrement() == 0) {
                        cut(connection);
                    }
                    return content;
                };

        assertThatThrownBy(() -> store.transaction(fence, "pay", cutOnce))
                .isInstanceOf(RuntimeException.class);
        assertThat(count()).isZero();
        store.transaction(fence, "pay", cutOnce);

        assertThat(count()).isEqualTo(1);
        assertThat(steps(fence)).hasSize(1);
    }

    @Test
    void a_body_neither_ends_its_transaction_nor_gives_the_connection_back() throws Exception {
        var fence = begun(store);

        store.transaction(
                fence,
                "pay",
                connection -> {
                    assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
                    assertThatThrownBy(connection::rollback).isInstanceOf(SQLException.class);
                    assertThatThrownBy(() -> connection.setAutoCommit(true))
                            .isInstanceOf(SQLException.class);
                    connection.close();
                    return insertOne(connection);
                });

        assertThat(count()).isEqualTo(1);
    }

    @Test
    void statements_of_a_body_are_planned_as_those_of_the_program() throws Exception {
        var fence = begun(store);

        var step =
                store.transaction(
                        fence,
                        "look",
                        connection ->
                                Payload.text(
                                        text(connection, "show enable_seqscan")
                                                + text(connection, "show plan_cache_mode")
                                                + text(connection, "show statement_timeout")));

        assertThat(step.content().asText()).isEqualTo("onauto0");
        // The next statements of the store are planned by its own settings again.
        assertThat(begun(store)).isNotNull();
    }

    @Test
    void it_works_on_connections_of_the_program() throws Exception {
        var config = new HikariConfig();
        var options = TestPostgres.options();
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setMaximumPoolSize(4);
        config.setAutoCommit(false);
        try (var pool = new HikariDataSource(config);
                var other = PostgresStore.open(pool, schema)) {
            other.sessions().open(Session.of("other", "2", "default"));
            var fence = begun(store);

            other.transaction(fence, "pay", this::insertOne);

            assertThat(count()).isEqualTo(1);
            assertThat(steps(fence)).hasSize(1);
        }
    }

    @Test
    void a_step_in_a_transaction_of_the_caller_is_there_when_that_commits() throws SQLException {
        var fence = begun(store);
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            insertOne(connection);
            var step = store.in(connection).checkpoint(new Checkpoint(fence, "pay", PAID));
            assertThat(steps(fence)).isEmpty();

            // The same again, before the commit.
            assertThat(store.in(connection).checkpoint(new Checkpoint(fence, "pay", PAID)))
                    .isEqualTo(step);
            connection.commit();

            assertThat(steps(fence)).containsExactly(step);
            assertThat(count()).isEqualTo(1);
        }
    }

    @Test
    void after_a_rollback_the_step_never_was() throws SQLException {
        var fence = begun(store);
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            store.in(connection).checkpoint(new Checkpoint(fence, "pay", PAID));
            connection.rollback();
        }

        assertThat(steps(fence)).isEmpty();
    }

    @Test
    void a_refused_step_leaves_the_transaction_to_its_caller() throws SQLException {
        var fence = begun(store);
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            store.in(connection).checkpoint(new Checkpoint(fence, "pay", PAID));
            connection.commit();
            revoke(fence);

            assertThatThrownBy(
                            () ->
                                    store.in(connection)
                                            .checkpoint(new Checkpoint(fence, "ship", PAID)))
                    .isInstanceOf(LeaseLost.class);
            insertOne(connection);
            connection.commit();
        }

        assertThat(count()).isEqualTo(1);
        assertThat(steps(fence)).hasSize(1);
    }

    @Test
    void other_content_under_the_same_name_conflicts() throws SQLException {
        var fence = begun(store);
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            store.in(connection).checkpoint(new Checkpoint(fence, "pay", PAID));

            assertThatThrownBy(
                            () ->
                                    store.in(connection)
                                            .checkpoint(
                                                    new Checkpoint(
                                                            fence, "pay", Payload.text("twice"))))
                    .isInstanceOf(Conflict.class);
            connection.rollback();
        }
    }

    @Test
    void a_connection_that_commits_by_itself_is_refused() throws SQLException {
        var fence = begun(store);
        try (var connection = TestPostgres.connect()) {
            assertThatThrownBy(
                            () ->
                                    store.in(connection)
                                            .checkpoint(new Checkpoint(fence, "pay", PAID)))
                    .isInstanceOf(Invalid.class)
                    .hasMessageContaining("commits every statement");
        }
    }

    @Test
    void until_the_commit_the_lease_cannot_be_taken_away() throws SQLException {
        var fence = begun(store);
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            store.in(connection).checkpoint(new Checkpoint(fence, "pay", PAID));

            assertThatThrownBy(() -> revoke(fence)).isInstanceOf(Contended.class);
            connection.commit();
        }
        revoke(fence);

        assertThat(steps(fence)).hasSize(1);
    }

    private Payload insertOne(Connection connection) throws SQLException {
        execute(connection, "insert into " + rows + " values (1)");
        return PAID;
    }

    private static void cut(Connection connection) throws SQLException {
        var pid = text(connection, "select pg_backend_pid()");
        try (var another = TestPostgres.connect()) {
            execute(another, "select pg_terminate_backend(%s)".formatted(pid));
        }
    }

    private Fence begun(PostgresStore on) {
        var work = Submission.of("work", Payload.EMPTY);
        on.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        return on.claims().claim(new Claim(session.id(), claims++, 1)).leases().getFirst().fence();
    }

    private int claims = 1;

    private void revoke(Fence fence) {
        store.operations()
                .act(List.of(new OperatorCommand.Revoke(fence.execution())), ADA)
                .forEach(Answer::orThrow);
    }

    private List<Step> steps(Fence fence) {
        return store.queries().steps(fence.execution(), Cursor.START, 10).items();
    }

    private int count() {
        try (var connection = TestPostgres.connect()) {
            return Integer.parseInt(text(connection, "select count(*) from " + rows));
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }
}
