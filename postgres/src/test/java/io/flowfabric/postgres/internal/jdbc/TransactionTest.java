package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Contended;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

class TransactionTest {
    private static final Statements STATEMENTS = Things.create();
    private static final Database DB =
            Database.open(TestPostgres.options().withConnections(4), STATEMENTS);

    @AfterAll
    static void close() {
        DB.close();
    }

    @Test
    void what_returns_is_committed_and_what_throws_is_not() {
        var kept = DB.<UUID>transaction(tx -> Things.add(tx, 1));
        assertThat(Things.amount(DB, kept)).isEqualTo(1);

        var lost = UUID.randomUUID();
        assertThatThrownBy(
                        () ->
                                DB.transaction(
                                        tx -> {
                                            tx.query("add")
                                                    .set("id", lost)
                                                    .set("name", "lost")
                                                    .set("amount", 1)
                                                    .update();
                                            throw new UnsupportedOperationException("no");
                                        }))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(DB.query("find").set("id", lost).optional(row -> row.uuid("id"))).isEmpty();
    }

    @Test
    void the_isolation_is_read_committed_and_the_limits_are_set() {
        DB.<Object>transaction(
                tx ->
                        tx.query("settings")
                                .one(
                                        row -> {
                                            assertThat(row.text("isolation"))
                                                    .isEqualTo("read committed");
                                            assertThat(row.text("statement_timeout"))
                                                    .isEqualTo("30s");
                                            assertThat(row.text("lock_timeout")).isEqualTo("10s");
                                            assertThat(row.text("application_name"))
                                                    .isEqualTo("flowfabric");
                                            return row;
                                        }));
    }

    @Test
    void two_that_deadlock_are_both_applied_because_the_victim_is_repeated() throws Exception {
        var a = Things.add(DB, 0);
        var b = Things.add(DB, 0);
        var bothHoldOne = new CyclicBarrier(2);
        try (var executor = Executors.newFixedThreadPool(2)) {
            var oneIsThrough = new CountDownLatch(1);
            var one = executor.submit(() -> increaseBoth(a, b, bothHoldOne, oneIsThrough));
            var other = executor.submit(() -> increaseBoth(b, a, bothHoldOne, oneIsThrough));
            assertThat(one.get() + other.get()).as("runs of two transactions").isEqualTo(3);
        }

        assertThat(Things.amount(DB, a)).isEqualTo(2);
        assertThat(Things.amount(DB, b)).isEqualTo(2);
    }

    @Test
    void a_transaction_that_is_always_rolled_back_is_contended() {
        assertThatThrownBy(
                        () ->
                                DB.<Object>transaction(
                                        tx -> {
                                            tx.query("fail").set("state", "40001").run();
                                            return true;
                                        }))
                .isInstanceOf(Contended.class);
    }

    @Test
    void swallowing_an_error_does_not_turn_a_rollback_into_a_commit() {
        var id = UUID.randomUUID();
        assertThatThrownBy(
                        () ->
                                DB.<Object>transaction(
                                        tx -> {
                                            var add = tx.query("add").set("id", id);
                                            add.set("name", id.toString()).set("amount", 1);
                                            add.update();
                                            try {
                                                add.update();
                                            } catch (ConstraintViolation expected) {
                                                assertThat(expected.unique()).isTrue();
                                            }
                                            return true;
                                        }))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("cannot be committed");
        assertThat(DB.query("find").set("id", id).optional(row -> row.uuid("id"))).isEmpty();
    }

    @Test
    void statements_can_join_the_transaction_of_a_caller_who_ends_it() throws Exception {
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            var tx = Transaction.of(connection, STATEMENTS);
            var undone = Things.add(tx, 1);
            assertThat(Things.amount(tx, undone)).isEqualTo(1);
            connection.rollback();
            var kept = Things.add(tx, 1);
            connection.commit();

            assertThat(DB.query("find").set("id", undone).optional(row -> row)).isEmpty();
            assertThat(Things.amount(DB, kept)).isEqualTo(1);
            assertThatThrownBy(() -> tx.query("fail").set("state", "40P01").run())
                    .isInstanceOf(Contended.class);
        }
    }

    @Test
    void what_cannot_be_undone_because_the_connection_is_gone_is_told_beside_the_reason()
            throws Exception {
        try (var connection = TestPostgres.connect()) {
            connection.setAutoCommit(false);
            var tx = Transaction.of(connection, STATEMENTS);
            var reason = new UnsupportedOperationException("no");

            assertThatThrownBy(
                            () ->
                                    tx.behindSavepoint(
                                            Duration.ZERO, () -> failWithout(connection, reason)))
                    .isSameAs(reason);

            assertThat(reason.getSuppressed()).hasOnlyElementsOfType(SQLException.class).hasSize(1);
        }
    }

    @Test
    void nothing_runs_after_closing_and_closing_twice_is_fine() {
        var db = Database.open(TestPostgres.options().withConnections(1), STATEMENTS);
        db.close();
        db.close();

        assertThatThrownBy(() -> db.query("count").one(row -> row.longValue("n")))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("closed");
        assertThatThrownBy(() -> db.<Object>transaction(tx -> true))
                .isInstanceOf(Unavailable.class);
    }

    private static Object failWithout(Connection connection, RuntimeException reason) {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        throw reason;
    }

    /** Returns how often it ran. */
    private static int increaseBoth(
            UUID first, UUID second, CyclicBarrier bothHoldOne, CountDownLatch oneIsThrough) {
        var runs = new int[1];
        DB.<Object>transaction(
                tx -> {
                    if (++runs[0] > 1) {
                        // Postgres lets a repeat lock its first row again before the other, which
                        // waits for it, has noticed: the two would deadlock once more.
                        await(oneIsThrough);
                    }
                    tx.query("increase").set("id", first).set("by", 1).update();
                    if (runs[0] == 1) {
                        await(bothHoldOne);
                    }
                    return tx.query("increase").set("id", second).set("by", 1).update();
                });
        oneIsThrough.countDown();
        return runs[0];
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void await(CyclicBarrier barrier) {
        try {
            barrier.await(30, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}
