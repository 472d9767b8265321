package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.flowfabric.core.Advice;
import io.flowfabric.core.Contended;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

class FailuresTest {
    private static final Statements STATEMENTS = Things.create();
    private static final DatabaseOptions OPTIONS = TestPostgres.options().withConnections(2);
    private static final List<Duration> PAUSES = new ArrayList<>();
    private static final Database DB = Database.open(OPTIONS, STATEMENTS, new Retries(PAUSES::add));

    @AfterAll
    static void close() {
        DB.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"40001", "40P01"})
    void what_was_rolled_back_as_a_whole_is_repeated_after_growing_random_pauses(String state) {
        long before = tries();
        PAUSES.clear();

        assertThatThrownBy(() -> fail(state))
                .isInstanceOf(Contended.class)
                .hasMessageContaining("Another call holds the same data (fail)")
                .hasRootCauseMessage("ERROR: as told\n  Where: " + where());

        assertThat(tries() - before).isEqualTo(Retries.TRIES);
        assertThat(PAUSES).hasSize(Retries.TRIES - 1);
        for (int i = 0; i < PAUSES.size(); i++) {
            assertThat(PAUSES.get(i))
                    .isBetween(Duration.ofNanos(2_500_000L << i), Duration.ofMillis(5L << i));
        }
    }

    @Test
    void a_repeat_that_succeeds_is_a_success() {
        long until = tries() + 3;
        assertThat(
                        DB.query("fail_until")
                                .set("state", "40P01")
                                .set("tries", until)
                                .<Long>one(row -> row.longValue("n")))
                .isEqualTo(until);
        assertThat(tries()).isEqualTo(until);
    }

    @ParameterizedTest
    @CsvSource({
        "25006, read-only",
        "53100, disk of the Postgres server is full",
        "53200, out of memory",
        "57014, statement_timeout",
        "P0001, Postgres refused fail: as told (P0001)",
    })
    void what_the_server_refused_was_surely_not_applied(String state, String sentence) {
        var failure = catchThrowableOfType(StoreFailure.class, () -> fail(state));

        assertThat(failure).hasMessageContaining(sentence);
        assertThat(failure.mayHaveApplied()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"22012", "22P05", "54000"})
    void what_would_be_refused_again_is_not_to_be_repeated(String state) {
        var failure = catchThrowableOfType(StoreFailure.class, () -> fail(state));

        assertThat(failure)
                .hasMessageContaining("Postgres refused fail: as told (%s)".formatted(state))
                .hasMessageContaining("repeating it unchanged cannot help");
        assertThat(failure.mayHaveApplied()).isFalse();
        assertThat(failure.advice()).isEqualTo(Advice.CALL_AN_OPERATOR);
    }

    @ParameterizedTest
    @ValueSource(strings = {"08006", "57P01", "57P02"})
    void a_server_that_goes_away_may_have_applied_it(String state) {
        var failure = catchThrowableOfType(StoreFailure.class, () -> fail(state));

        assertThat(failure.mayHaveApplied()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "42501, grant it",
        "42P01, has it been migrated",
        "3F000, has it been migrated",
    })
    void what_an_operator_must_mend_says_so(String state, String sentence) {
        assertThatThrownBy(() -> fail(state))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining(sentence);
    }

    @Test
    void a_violated_constraint_is_named() {
        var id = Things.add(DB, 1);
        var twice = violation(DB.query("add").set("id", id).set("name", "x").set("amount", 1));
        assertThat(twice.unique()).isTrue();
        assertThat(twice.constraint()).isEqualTo("thing_pkey");
        assertThat(twice.table()).isEqualTo("thing");

        var negative =
                violation(
                        DB.query("add")
                                .set("id", UUID.randomUUID())
                                .set("name", "negative")
                                .set("amount", -1));
        assertThat(negative.kind()).isEqualTo(ConstraintViolation.Kind.CHECK);
        assertThat(negative.constraint()).isEqualTo("thing_amount_positive");

        var nameless =
                violation(
                        DB.query("add")
                                .set("id", UUID.randomUUID())
                                .set("name", (String) null)
                                .set("amount", 1));
        assertThat(nameless.kind()).isEqualTo(ConstraintViolation.Kind.NOT_NULL);
        assertThat(nameless).hasMessageContaining("add").hasMessageNotContaining("null value");
    }

    @Test
    void waiting_too_long_for_a_lock_is_contended() throws Exception {
        var id = Things.add(DB, 1);
        var impatient = OPTIONS.withServerTimeouts(Duration.ofSeconds(5), Duration.ofMillis(50));
        try (var db = Database.open(impatient, STATEMENTS);
                var holder = TestPostgres.connect()) {
            holder.setAutoCommit(false);
            Transaction.of(holder, STATEMENTS)
                    .query("increase")
                    .set("id", id)
                    .set("by", 1)
                    .update();

            assertThatThrownBy(() -> db.query("increase").set("id", id).set("by", 1).update())
                    .isInstanceOf(Contended.class);
            holder.rollback();
        }
    }

    @Test
    void a_pool_without_a_free_connection_says_so_and_did_nothing() {
        var options = OPTIONS.withConnections(1).withAcquireTimeout(Duration.ofMillis(250));
        try (var db = Database.open(options, STATEMENTS)) {
            var failure =
                    catchThrowableOfType(
                            StoreFailure.class,
                            () ->
                                    db.<Object>transaction(
                                            tx ->
                                                    db.query("count")
                                                            .one(row -> row.longValue("n"))));
            assertThat(failure).hasMessageContaining("All 1 connections");
            assertThat(failure.mayHaveApplied()).isFalse();
        }
    }

    @Test
    void a_server_that_is_not_there_is_named() throws Exception {
        int free;
        try (var socket = new ServerSocket(0)) {
            free = socket.getLocalPort();
        }
        var nowhere = DatabaseOptions.of("jdbc:postgresql://127.0.0.1:" + free + "/x", "u", "p");

        var failure =
                catchThrowableOfType(StoreFailure.class, () -> Database.open(nowhere, STATEMENTS));

        assertThat(failure)
                .hasMessageContaining("Postgres at 127.0.0.1:%d/x cannot be reached", free);
        assertThat(failure.mayHaveApplied()).isFalse();
        assertThatThrownBy(() -> Connections.single(nowhere, "test"))
                .isInstanceOf(StoreFailure.class);
    }

    @Test
    void a_wrong_login_and_a_missing_database_need_a_person() {
        assertThatThrownBy(
                        () -> Database.open(OPTIONS.withLogin("flowfabric", "guess"), STATEMENTS))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("refuses the login")
                .hasMessageNotContaining("guess");
        var elsewhere =
                DatabaseOptions.of(
                        OPTIONS.url().replace("/postgres", "/elsewhere"),
                        "flowfabric",
                        String.valueOf(OPTIONS.password()));
        assertThatThrownBy(() -> Database.open(elsewhere, STATEMENTS))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("elsewhere");
    }

    @Test
    void an_old_server_is_refused() {
        Connections.checkVersion("Postgres at x", 15, "15.1");
        assertThatThrownBy(() -> Connections.checkVersion("Postgres at x", 14, "14.9"))
                .isInstanceOf(Unavailable.class)
                .hasMessage(
                        "Postgres at x is version 14.9, and 15 is the oldest that can serve:"
                                + " upgrade it.");
    }

    @Test
    void a_connection_to_a_server_that_became_read_only_is_not_kept() {
        var standby =
                DatabaseOptions.of(
                                OPTIONS.url() + "?options=-c%20default_transaction_read_only=on",
                                "flowfabric",
                                String.valueOf(OPTIONS.password()))
                        .withConnections(1);
        try (var db = Database.open(standby, STATEMENTS)) {
            var before = pid(db);
            assertThat(pid(db)).isEqualTo(before);

            assertThatThrownBy(() -> Things.add(db, 1))
                    .isInstanceOf(StoreFailure.class)
                    .hasMessageContaining("Connect to the primary");

            assertThat(pid(db)).isNotEqualTo(before);
        }
    }

    private static int pid(Database db) {
        return db.query("settings").one(row -> row.intValue("pid"));
    }

    private static void fail(String state) {
        DB.query("fail").set("state", state).run();
    }

    private static long tries() {
        return DB.query("tries").one(row -> row.longValue("n"));
    }

    private static String where() {
        return "PL/pgSQL function %s.fail(text) line 4 at RAISE".formatted(STATEMENTS.schema());
    }

    private static ConstraintViolation violation(Query query) {
        return catchThrowableOfType(ConstraintViolation.class, query::update);
    }
}
