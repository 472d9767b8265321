package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Work with more behind it than one statement can remove is forgotten and erased all the same. */
class MuchToForgetTest {
    private static final Attribution ADA = new Attribution("ada", "a test");
    private static final Duration CUT_OFF = Duration.ofMillis(400);

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store = PostgresStore.open(TestPostgres.options(), schema);

    /** One whose statements are cut off. */
    private final PostgresStore hurried =
            PostgresStore.open(
                    TestPostgres.options().withServerTimeouts(CUT_OFF, Duration.ofMillis(100)),
                    schema);

    private final Session session =
            Session.of("worker", "instance", "default").ttl(Duration.ofHours(1));
    private int claims;

    @BeforeEach
    void open() {
        store.sessions().open(session);
    }

    @AfterEach
    void close() {
        store.close();
        hurried.close();
    }

    @Test
    void what_cannot_be_forgotten_in_one_statement_is_forgotten_in_smaller_ones() throws Exception {
        var first = ended();
        var second = ended();
        say(first, 3, 100);
        say(second, 1, 100);
        tell(first, 200);
        slowDown("frame");
        slowDown("signal");

        forgetAll();

        assertThat(rows("execution")).isZero();
        assertThat(rows("frame")).isZero();
        assertThat(rows("stream")).isZero();
        assertThat(rows("signal")).isZero();
    }

    @Test
    void everything_else_that_is_too_old_is_removed_although_executions_cannot_be_forgotten()
            throws Exception {
        say(ended(), 1, 300);
        execute("insert into %s.ended_count select 1, 'failed', 0 from generate_series(1, 10)");
        slowDown("frame");

        assertThat(hurried.maintenance().tick(Chore.RETENTION, 100).errors()).isEqualTo(1);

        assertThat(rows("execution")).isEqualTo(1);
        assertThat(rows("ended_count")).isEqualTo(1);
    }

    @Test
    void executions_with_much_behind_them_are_forgotten_few_at_a_time() throws Exception {
        ended();
        ended();
        ended();
        execute("update %s.execution set step_bytes = 140000000");

        var first = hurried.maintenance().tick(Chore.RETENTION, 100);
        assertThat(first.processed()).isEqualTo(2);
        assertThat(first.more()).isTrue();
        assertThat(hurried.maintenance().tick(Chore.RETENTION, 100).processed()).isEqualTo(1);
    }

    @Test
    void signals_and_frames_that_do_not_stay_count_as_much_to_forget() throws Exception {
        tell(ended(), 9_000);
        tell(ended(), 9_000);
        for (int n = 0; n < 2; n++) {
            execute(
                    "insert into %s.stream select '"
                            + ended().uuid()
                            + "', n, 256, 0, 0, 256, 0, 0, null from generate_series(1, 60) as n");
        }

        var first = hurried.maintenance().tick(Chore.RETENTION, 100);

        assertThat(first.processed()).isBetween(2, 3);
        assertThat(first.more()).isTrue();
    }

    @Test
    void many_are_erased_in_one_call_although_one_statement_cannot_do_it() throws Exception {
        var ids = IntStream.range(0, 10).mapToObj(n -> ended()).toList();
        for (var id : ids) {
            say(id, 1, 30);
        }
        say(ids.getFirst(), 3, 100);
        tell(ids.getFirst(), 200);
        slowDown("frame");
        slowDown("signal");

        assertThat(hurried.operations().erase(ids, ADA)).allMatch(Answer.Done.class::isInstance);

        assertThat(rows("execution")).isZero();
        assertThat(rows("frame")).isZero();
        assertThat(rows("signal")).isZero();
    }

    private void forgetAll() {
        for (int round = 0; round < 200; round++) {
            if (!hurried.maintenance().tick(Chore.RETENTION, 100).more()) {
                return;
            }
        }
    }

    /** Work that has ended, with a step, a signal and a frame. */
    private ExecutionId ended() {
        store.submit(
                Submission.of("job", Payload.EMPTY)
                        .policy(Policy.DEFAULT.retention(Duration.ZERO)));
        Lease lease =
                store.claims().claim(new Claim(session.id(), ++claims, 1)).leases().getFirst();
        var fence = lease.fence();
        var id = fence.execution();
        store.leases()
                .checkpoint(List.of(new Checkpoint(fence, "step", Payload.EMPTY)))
                .getFirst()
                .orThrow();
        store.signals()
                .send(List.of(Signal.of(new Waitpoint(id, "door"), "knock", Payload.EMPTY, ADA)))
                .getFirst()
                .orThrow();
        store.leases()
                .append(List.of(Append.durable(fence, 0, "said", Payload.EMPTY)))
                .getFirst()
                .orThrow();
        store.leases().end(List.of(new Ending.Complete(fence, Payload.EMPTY)));
        return id;
    }

    /** As if so many attempts of it had said so much each. */
    private void say(ExecutionId id, int attempts, int frames) throws SQLException {
        execute(
                ("insert into %%1$s.stream select '%s', a, %d, %d, 0, 0, 0, 0, null"
                                        + " from generate_series(1, %d) as a")
                                .formatted(id.uuid(), frames, frames, attempts)
                        + " on conflict do nothing");
        execute(
                ("insert into %%1$s.frame select '%s', a, n, null, 'durable', 't', null, '', 0 from"
                     + " generate_series(1, %d) as a, generate_series(1, %d) as n")
                                .formatted(id.uuid(), attempts, frames)
                        + " on conflict do nothing");
    }

    /** As if it had received so many signals more. */
    private void tell(ExecutionId id, int signals) throws SQLException {
        execute(
                ("insert into %%1$s.signal (execution, number, waitpoint, place, name, effect, at,"
                     + " actor, reason, content) select '%s', n + 1, 'door', 1, 's', 'kept', 0,"
                     + " 'ada', '', '' from generate_series(1, %d) as n")
                        .formatted(id.uuid(), signals));
    }

    /** From now on it takes some milliseconds to delete a row of a table. */
    private void slowDown(String table) throws SQLException {
        execute(
                "create or replace function %1$s.slow() returns trigger language plpgsql as"
                        + " $$ begin perform pg_sleep(0.004); return old; end $$");
        execute(
                "create trigger slow before delete on %1$s."
                        + table
                        + " for each row execute function %1$s.slow()");
    }

    private void execute(String sql) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement()) {
            statement.execute(sql.formatted(schema));
        }
    }

    private long rows(String table) throws SQLException {
        try (var connection = TestPostgres.connect();
                var statement = connection.createStatement();
                var result =
                        statement.executeQuery(
                                "select count(*) from %s.%s".formatted(schema, table))) {
            result.next();
            return result.getLong(1);
        }
    }
}
