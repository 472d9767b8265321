package io.flowfabric.postgres;

import static io.flowfabric.postgres.Shop.newKey;
import static io.flowfabric.postgres.Shop.newLane;
import static io.flowfabric.postgres.Shop.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

import java.sql.SQLException;
import java.util.UUID;

/** Transactions that Spring begins and ends, on the connections of a pool. */
class InSpringTransactionTest {
    private static Shop shop;
    private static HikariDataSource pool;
    private static TransactionTemplate transaction;

    @BeforeAll
    static void open() throws SQLException {
        shop = new Shop();
        var options = TestPostgres.options();
        var config = new HikariConfig();
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setMaximumPoolSize(3);
        pool = new HikariDataSource(config);
        transaction = new TransactionTemplate(new JdbcTransactionManager(pool));
    }

    @AfterAll
    static void close() {
        pool.close();
        shop.close();
    }

    @Test
    void work_is_there_with_the_order_after_the_commit() throws Exception {
        var submission = work(newLane()).key(newKey());
        var order = UUID.randomUUID();
        transaction.executeWithoutResult(
                tx -> {
                    insert(order);
                    enqueue(submission);
                    assertThat(shop.knows(submission.id())).isFalse();
                });

        assertThat(shop.has(order)).isTrue();
        assertThat(shop.claim(submission.lane())).containsExactly(submission.id());
    }

    @Test
    void neither_is_there_after_a_rollback() throws Exception {
        var submission = work(newLane());
        var order = UUID.randomUUID();
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(
                        () ->
                                transaction.executeWithoutResult(
                                        tx -> {
                                            insert(order);
                                            enqueue(submission);
                                            throw new UnsupportedOperationException("no");
                                        }));

        assertThat(shop.has(order)).isFalse();
        assertThat(shop.knows(submission.id())).isFalse();
    }

    @Test
    void a_refusal_that_is_handled_leaves_the_transaction_to_be_committed() throws Exception {
        var first = work(newLane()).key(newKey());
        transaction.executeWithoutResult(tx -> enqueue(first));
        var order = UUID.randomUUID();
        transaction.executeWithoutResult(
                tx -> {
                    assertThatExceptionOfType(Conflict.class)
                            .isThrownBy(
                                    () -> enqueue(work(newLane()).key(first.key().orElseThrow())));
                    insert(order);
                });

        assertThat(shop.has(order)).isTrue();
    }

    @Test
    void a_nested_transaction_takes_only_its_own_work_back() {
        var outer = work(newLane());
        var inner = work(outer.lane());
        var nested = new TransactionTemplate(new JdbcTransactionManager(pool));
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
        transaction.executeWithoutResult(
                tx -> {
                    enqueue(outer);
                    nested.executeWithoutResult(
                            within -> {
                                enqueue(inner);
                                within.setRollbackOnly();
                            });
                });

        assertThat(shop.claim(outer.lane())).containsExactly(outer.id());
    }

    @Test
    void a_proxy_that_knows_about_transactions_serves_as_well() throws Exception {
        var proxy = new TransactionAwareDataSourceProxy(pool);
        var submission = work(newLane());
        transaction.executeWithoutResult(
                tx -> {
                    try (var connection = proxy.getConnection()) {
                        shop.store().in(connection).submit(submission);
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                    assertThat(shop.knows(submission.id())).isFalse();
                });
        assertThat(shop.knows(submission.id())).isTrue();

        try (var outside = proxy.getConnection()) {
            assertThatExceptionOfType(Invalid.class)
                    .isThrownBy(() -> shop.store().in(outside).submit(work(newLane())))
                    .returns(Invalid.Code.AUTOCOMMIT, Invalid::code);
        }
    }

    @Test
    void a_transaction_for_reading_only_takes_no_work_and_says_so() {
        var reading = new TransactionTemplate(new JdbcTransactionManager(pool));
        reading.setReadOnly(true);

        reading.executeWithoutResult(
                tx ->
                        assertThatExceptionOfType(Invalid.class)
                                .isThrownBy(() -> enqueue(work(newLane())))
                                .returns(Invalid.Code.TRANSACTION_READ_ONLY, Invalid::code));
    }

    private static void insert(UUID order) {
        new JdbcTemplate(pool).update("insert into " + shop.app() + ".orders values (?)", order);
    }

    private static void enqueue(Submission submission) {
        var connection = DataSourceUtils.getConnection(pool);
        try {
            shop.store().in(connection).submit(submission);
        } finally {
            DataSourceUtils.releaseConnection(connection, pool);
        }
    }
}
