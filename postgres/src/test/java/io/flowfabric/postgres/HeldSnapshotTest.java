package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * R11: while another program holds a snapshot open, nothing that is removed or changed goes away.
 * What is gone is stepped over once in a while, and not by every call.
 *
 * <p>The server counts the entries of an index that its scans came upon, also of rows that are
 * gone; a connection reports its counts when it is closed.
 */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class HeldSnapshotTest {
    private static final Attribution ADA = new Attribution("ada", "to see");
    private static final Policy LATER = Policy.DEFAULT.start(Due.in(Duration.ofMillis(1)));
    private static final Duration SOON = Duration.ofMillis(500);
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final String CHANGES = "select sum(changes + 256 * moves) from %s.meter";

    /** How much is gone. */
    private static final int GONE = 5_000;

    private final SchemaName schema = TestPostgres.freshSchema();
    private final Connection reader;
    private final Connection connection;
    private Duration took = Duration.ZERO;

    HeldSnapshotTest() throws SQLException {
        reader = TestPostgres.connect();
        connection = TestPostgres.connect();
    }

    @BeforeEach
    void hold() throws SQLException {
        open().close();
        reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        reader.setAutoCommit(false);
        // The first statement of the transaction takes the snapshot.
        Shop.execute(reader, "select pg_current_snapshot()");
    }

    @AfterEach
    void close() throws SQLException {
        reader.close();
        connection.close();
    }

    @Test
    void timers_that_are_gone_are_not_in_the_way_of_those_that_are_due() throws SQLException {
        long now = System.currentTimeMillis();
        remove(now - Duration.ofHours(1).toMillis());
        remove(now + Duration.ofHours(1).toMillis());

        long read =
                entriesRead(
                        "timer",
                        store -> {
                            for (int i = 0; i < 300; i++) {
                                store.maintenance().nextDue(SOON);
                                store.maintenance().tick(Chore.TIMERS, 100);
                            }
                        });

        // Once at least: what came late lies below everything that was done.
        assertThat(read).isBetween((long) GONE, mostRead());
    }

    @Test
    void delayed_work_that_becomes_ready_leads_no_claim_through_what_was_taken() {
        var session = Session.of("worker", "1", "default").ttl(PATIENCE.multipliedBy(10));
        long read =
                entriesRead(
                        "ready",
                        store -> {
                            store.sessions().open(session);
                            submit(store, GONE, Policy.DEFAULT);
                            int claims = 1;
                            while (work(store, session, claims, 256) > 0) {
                                claims++;
                            }
                            for (int i = 0; i < 100; i++) {
                                submit(store, 1, LATER);
                                while (work(store, session, ++claims, 10) == 0) {
                                    store.maintenance().tick(Chore.TIMERS, 100);
                                }
                            }
                        });

        assertThat(read).isLessThan(mostRead());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void a_meter_is_found_behind_few_of_its_versions(boolean timed) throws SQLException {
        var session = Session.of("worker", "1", "default").ttl(PATIENCE.multipliedBy(10));
        var policy = Policy.DEFAULT.quota("tenant");
        try (var store = open()) {
            store.quotas().define(Quota.atOnce("tenant", 1000), ADA);
            store.sessions().open(session);
            submit(store, 400, timed ? policy.attemptTimeout(PATIENCE) : policy);
            for (int i = 1; i <= 300; i++) {
                assertThat(work(store, session, i, 1)).isEqualTo(1);
            }
        }
        assertThat(number("select moves from %s.meter")).isEqualTo(600 / 256);
        changeMeter();

        assertFewAreReadByWork(session, 301, 1);
    }

    /**
     * Of two meters one has changed much more often, so that what is far behind in one is ahead in
     * the other.
     */
    @ParameterizedTest
    @CsvSource({"false, 0", "false, 200", "true, 0", "true, 200"})
    void meters_that_change_more_and_less_often_are_found_behind_few_of_their_versions(
            boolean timed, int others) throws SQLException {
        var session = Session.of("worker", "1", "default").ttl(PATIENCE.multipliedBy(10));
        var policy = Policy.DEFAULT.quota("tenant").quota("customer", "ada");
        try (var store = open()) {
            store.quotas().define(Quota.atOnce("tenant", 1000), ADA);
            store.quotas().define(Quota.atOnce("customer", 1000), ADA);
            store.sessions().open(session);
            submit(store, 100, timed ? policy.attemptTimeout(PATIENCE) : policy);
            for (int i = 0; i < others; i++) {
                var other = Policy.DEFAULT.quota("customer", "other " + i);
                store.submissions()
                        .submit(
                                List.of(
                                        Submission.of("work", Payload.EMPTY)
                                                .lane("other")
                                                .policy(other)))
                        .forEach(Answer::orThrow);
            }
        }
        changeMeter();

        assertFewAreReadByWork(session, 1, 2);
    }

    private void assertFewAreReadByWork(Session session, int first, int meters) {
        long before = number(CHANGES);
        long read =
                entriesRead(
                        "meter",
                        store -> {
                            for (int i = first; i < first + 100; i++) {
                                assertThat(work(store, session, i, 1)).isEqualTo(1);
                            }
                        });

        // Six times each, behind at most as many entries as 256 versions have pages.
        assertThat(read).isLessThan(100L * 6 * 20 * meters);
        assertThat(number("select sum(running) from %s.meter")).isZero();
        assertThat(number(CHANGES) - before).isEqualTo(100L * 2 * meters);
    }

    @Test
    void a_quota_that_is_full_is_asked_behind_few_of_its_versions() throws SQLException {
        var session = Session.of("worker", "1", "default").ttl(PATIENCE.multipliedBy(10));
        var timed = Policy.DEFAULT.quota("tenant").attemptTimeout(PATIENCE);
        try (var store = open()) {
            store.quotas().define(Quota.atOnce("tenant", 1), ADA);
            store.sessions().open(session);
            submit(store, 2, timed);
            assertThat(claim(store, session, 1, 2)).hasSize(1);
        }
        changeMeter();

        long read =
                entriesRead(
                        "meter",
                        store -> {
                            for (int i = 2; i <= 101; i++) {
                                assertThat(claim(store, session, i, 1)).isEmpty();
                            }
                        });

        assertThat(read).isLessThan(100 * 5 * 20);
    }

    /**
     * Changes the meter without a key as often as many claims and endings would, and has the server
     * count meters, as it does by itself from time to time: then it knows how few they are.
     */
    private void changeMeter() throws SQLException {
        tell(
                """
                do $$ declare
                    version tid;
                begin
                    select ctid into version from %1$s.meter where key = '';
                    for i in 1..20000 loop
                        update %1$s.meter set changes = (changes + 1) %% 256, moves = moves + (changes + 1) / 256
                        where ctid = version
                        returning ctid into version;
                    end loop;
                end $$
                """);
        tell("analyze %s.meter");
    }

    /** Sets many timers from a time on, and removes them again. */
    private void remove(long from) throws SQLException {
        tell(
                "insert into %s.timer select gen_random_uuid(), 'attempt', "
                        + from
                        + " + n from generate_series(1, "
                        + GONE
                        + ") as n");
        tell("delete from %s.timer");
    }

    private static void submit(PostgresStore store, int count, Policy policy) {
        for (int left = count; left > 0; left -= 1000) {
            var work = new ArrayList<Submission>();
            for (int i = 0; i < Math.min(left, 1000); i++) {
                work.add(Submission.of("work", Payload.EMPTY).policy(policy));
            }
            store.submissions().submit(work).forEach(Answer::orThrow);
        }
    }

    /** Claims and ends some, and says how many. */
    private static int work(PostgresStore store, Session session, int number, int max) {
        var leases = claim(store, session, number, max);
        var endings = new ArrayList<Ending>();
        leases.forEach(lease -> endings.add(new Ending.Complete(lease.fence(), Payload.EMPTY)));
        store.leases().end(endings).forEach(Answer::orThrow);
        return leases.size();
    }

    private static List<Lease> claim(PostgresStore store, Session session, int number, int max) {
        return store.claims().claim(new Claim(session.id(), number, max)).leases();
    }

    private PostgresStore open() {
        return PostgresStore.open(
                TestPostgres.options().withConnections(1).withApplicationName(schema.text()),
                schema);
    }

    /** How many entries of the indexes of a table were come upon by what a store does. */
    private long entriesRead(String table, Consumer<PostgresStore> calls) {
        awaitReports();
        long before = counted(table);
        long began = System.nanoTime();
        try (var store = open()) {
            calls.accept(store);
        }
        took = Duration.ofNanos(System.nanoTime() - began);
        awaitReports();
        return counted(table) - before;
    }

    /** What is gone is stepped over once a second, by one look or two, and a few times besides. */
    private long mostRead() {
        return GONE * (5 + 2 * took.toSeconds());
    }

    private long counted(String table) {
        return number(
                "select coalesce(sum(idx_tup_read), 0) from pg_stat_user_indexes where schemaname ="
                        + " '%s' and relname = '"
                        + table
                        + "'");
    }

    private void awaitReports() {
        long began = System.nanoTime();
        while (number("select count(*) from pg_stat_activity where application_name like '%s%%'")
                > 0) {
            assertThat(System.nanoTime() - began).isLessThan(PATIENCE.toNanos());
            LockSupport.parkNanos(Duration.ofMillis(10).toNanos());
        }
    }

    private void tell(String sql) throws SQLException {
        Shop.execute(connection, sql.formatted(schema.text()));
    }

    private long number(String sql) {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(sql.formatted(schema.text()))) {
            row.next();
            return row.getLong(1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
