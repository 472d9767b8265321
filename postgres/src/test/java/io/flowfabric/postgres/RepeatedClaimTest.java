package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/** A claim that is made again while the first call is still under way. */
class RepeatedClaimTest {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final PostgresFixture fixture = new PostgresFixture();
    private final Store store = fixture.store();

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void what_the_first_call_gives_is_told_by_the_second_or_is_not_given() throws Exception {
        var work = Submission.of("work", Payload.EMPTY);
        store.submissions().submit(List.of(work)).forEach(Answer::orThrow);
        var session = Session.of("worker", "1", "default");
        store.sessions().open(session);
        var claim = new Claim(session.id(), 1, 1);
        var server = TestServer.get();

        try (var other =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            // The first has taken the work, and cannot write its receipt yet.
            holdReceipt(other, claim);
            var first = threads.submit(() -> store.claims().claim(claim));
            awaitWaiting(other, 1);
            var second = threads.submit(() -> store.claims().claim(claim.again()));
            awaitWaiting(other, 2);
            other.rollback();

            int told = leases(second);
            var state = store.queries().describe(List.of(work.id())).getFirst().orThrow().state();
            assertThat(told).isEqualTo(state.situation() == Situation.RUNNING ? 1 : 0);
            assertThat(leases(first)).isEqualTo(told);
        }
    }

    private static int leases(Future<Claimed> claimed) throws Exception {
        return claimed.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).leases().size();
    }

    private void holdReceipt(Connection other, Claim claim) throws SQLException {
        other.setAutoCommit(false);
        try (var statement = other.createStatement()) {
            statement.execute(
                    "insert into %s.receipt (session, number, ids, epochs) values ('%s', %d, '{}', '{}')"
                            .formatted(
                                    fixture.schema().text(),
                                    claim.session().uuid(),
                                    claim.number()));
        }
    }

    private static void awaitWaiting(Connection other, int count) throws Exception {
        long end = System.nanoTime() + PATIENCE.toNanos();
        try (var statement = other.createStatement()) {
            while (true) {
                try (var rows =
                        statement.executeQuery(
                                "select count(distinct pid) from pg_locks where not granted"
                                        + " and pg_backend_pid() = any(pg_blocking_pids(pid))")) {
                    rows.next();
                    if (rows.getInt(1) >= count) {
                        return;
                    }
                }
                assertThat(System.nanoTime()).as("calls that wait").isLessThan(end);
                Thread.onSpinWait();
            }
        }
    }
}
