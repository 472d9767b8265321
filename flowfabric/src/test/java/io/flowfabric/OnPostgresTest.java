package io.flowfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** A fabric on the connections of a program, with the program's own rows beside it. */
class OnPostgresTest {
    private static final Duration SOON = Duration.ofSeconds(30);

    private static final Kind<String, Integer> ORDER =
            Kind.of("order", String.class, Integer.class)
                    .retry(Retry.retries(3).backoff(Backoff.fixed(Duration.ZERO)));

    private static EmbeddedPostgres server;
    private static final PGSimpleDataSource ROWS = new PGSimpleDataSource();

    @BeforeAll
    static void start(@TempDir Path home) throws SQLException {
        server = EmbeddedPostgres.start(home, EmbeddedOptions.DEFAULT);
        ROWS.setUrl(server.url());
        ROWS.setUser(server.user());
        ROWS.setPassword(server.password());
        try (var connection = ROWS.getConnection()) {
            connection.createStatement().execute("create table orders (item text)");
        }
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void rows_and_a_step_are_one_commit_and_work_is_submitted_with_rows() throws Exception {
        var runs = new AtomicInteger();
        try (var fabric = FlowFabric.using(ROWS)) {
            fabric.worker("shop")
                    .on(
                            ORDER,
                            (task, item) -> {
                                int stored =
                                        task.transaction(
                                                "store",
                                                Integer.class,
                                                connection -> insert(connection, item));
                                if (runs.incrementAndGet() == 1) {
                                    throw new IllegalStateException("after the commit");
                                }
                                return stored;
                            })
                    .start();

            WorkHandle<Integer> kept;
            WorkHandle<Integer> gone;
            try (var connection = ROWS.getConnection()) {
                connection.setAutoCommit(false);
                kept = fabric.submit(connection, ORDER.with("tea"));
                connection.commit();
                gone = fabric.submit(connection, ORDER.with("milk"));
                connection.rollback();
            }

            assertThat(kept.await(SOON)).isEqualTo(1);
            assertThat(runs).hasValue(2);
            assertThat(count()).isEqualTo(1);
            assertThat(fabric.find(fabric.search()).map(one -> one.id()).toList())
                    .contains(kept.id())
                    .doesNotContain(gone.id());
        }
    }

    @Test
    void a_step_inside_of_a_transaction_is_refused() {
        try (var fabric = FlowFabric.using(ROWS)) {
            var nested = Kind.of("nested", String.class, Integer.class);
            fabric.worker("shop")
                    .on(
                            nested,
                            (task, item) ->
                                    task.transaction(
                                            "outer",
                                            Integer.class,
                                            connection ->
                                                    task.step("inner", Integer.class, () -> 1)))
                    .start();
            var work = fabric.submit(nested.with("tea"));

            assertThatThrownBy(() -> work.await(SOON))
                    .hasMessageContaining("asks for inner inside of the step outer");
        }
    }

    private static int insert(Connection connection, String item) throws SQLException {
        try (var insert = connection.prepareStatement("insert into orders values (?)")) {
            insert.setString(1, item);
            return insert.executeUpdate();
        }
    }

    private static int count() throws SQLException {
        try (var connection = ROWS.getConnection();
                var rows =
                        connection.createStatement().executeQuery("select count(*) from orders")) {
            rows.next();
            return rows.getInt(1);
        }
    }
}
