package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** R12: many sessions whose work counts against one quota. */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class BusyMeterTest {
    private static final Attribution ADA = new Attribution("ada", "all of one customer");
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CONNECTIONS = 4;
    private static final int SESSIONS = 20;
    private static final int PLACES = 3;
    private static final Policy COUNTED = Policy.DEFAULT.quota("customer");

    private final SchemaName schema = TestPostgres.freshSchema();
    private final PostgresStore store =
            PostgresStore.open(
                    TestPostgres.options()
                            .withConnections(CONNECTIONS)
                            .withApplicationName(schema.text()),
                    schema);
    private final ExecutorService threads = Executors.newFixedThreadPool(SESSIONS);
    private final List<Session> sessions = new ArrayList<>();
    private final Connection connection;

    BusyMeterTest() throws SQLException {
        connection = TestPostgres.connect();
    }

    @BeforeEach
    void open() {
        for (int i = 0; i < SESSIONS; i++) {
            var session = Session.of("worker", "" + i, "default").ttl(PATIENCE.multipliedBy(10));
            store.sessions().open(session);
            sessions.add(session);
        }
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
        threads.shutdownNow();
        store.close();
    }

    @Test
    void claims_that_wait_for_a_meter_leave_connections_to_those_who_make_room() throws Exception {
        // So many that all of them wait: with few places left, no more claims than those do.
        define(100);
        submit(SESSIONS + 1, COUNTED);
        var taken = claim(sessions.getFirst(), 1).getFirst().execution();
        lockMeters();
        var claims = claimAll(2);
        awaitAllWaiting();

        // A call that needs no meter, as long as the claims wait for theirs.
        assertThat(store.queries().describe(List.of(taken))).hasSize(1).allMatch(Answer::isDone);

        assertThat(claims).anyMatch(claim -> !claim.isDone());
        assertEachIsGivenOne(claims);
    }

    @Test
    void claims_of_timed_work_leave_connections_too_after_looks_that_found_nothing()
            throws Exception {
        define(100);
        var timed = COUNTED.attemptTimeout(Duration.ofMinutes(1));
        submit(SESSIONS, timed);
        assertEachIsGivenOne(claimAll(1));
        assertThat(claim(sessions.getFirst(), 2)).isEmpty();
        for (var session : sessions) {
            claim(session, 3);
        }
        submit(SESSIONS, timed);
        lockMeters();
        var claims = claimAll(4);
        awaitAllWaiting();

        assertThat(store.maintenance().nextDue(Duration.ZERO)).isEmpty();

        assertThat(claims).anyMatch(claim -> !claim.isDone());
        assertEachIsGivenOne(claims);
    }

    @Test
    void work_that_counts_against_nothing_waits_for_no_turn() throws Exception {
        define(100);
        submit(SESSIONS, COUNTED);
        var timed = Policy.DEFAULT.attemptTimeout(Duration.ofMinutes(1));
        store.submissions()
                .submit(List.of(Submission.of("work", Payload.EMPTY).lane("timed").policy(timed)))
                .forEach(Answer::orThrow);
        var other = Session.of("worker", "other", "timed").ttl(PATIENCE.multipliedBy(10));
        store.sessions().open(other);
        lockMeters();
        var claims = claimAll(1);
        awaitAllWaiting();

        assertThat(claim(other, 1)).hasSize(1);

        assertThat(claims).anyMatch(claim -> !claim.isDone());
        assertEachIsGivenOne(claims);
    }

    @Test
    void every_place_is_given_to_one_and_all_work_gets_done() throws Exception {
        int executions = 300;
        define(PLACES);
        submit(executions, COUNTED);
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        Set<Object> done = ConcurrentHashMap.newKeySet();
        var workers = new ArrayList<Future<?>>();
        for (var session : sessions) {
            workers.add(
                    threads.submit(
                            () -> {
                                for (int number = 1; done.size() < executions; number++) {
                                    for (var fence : claim(session, number)) {
                                        most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                        LockSupport.parkNanos(1_000_000);
                                        running.decrementAndGet();
                                        end(fence);
                                        assertThat(done.add(fence.execution())).isTrue();
                                    }
                                }
                            }));
        }
        for (var worker : workers) {
            worker.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }

        assertThat(most.get()).isLessThanOrEqualTo(PLACES);
        assertThat(done).hasSize(executions);
    }

    private List<Future<Integer>> claimAll(long number) {
        var claims = new ArrayList<Future<Integer>>();
        for (var session : sessions) {
            claims.add(threads.submit(() -> claim(session, number).size()));
        }
        return claims;
    }

    private void lockMeters() throws SQLException {
        connection.setAutoCommit(false);
        Shop.execute(connection, "select from %s.meter for update".formatted(schema.text()));
    }

    /** Lets go of the meters, if they are locked, and waits for the claims. */
    private void assertEachIsGivenOne(List<Future<Integer>> claims) throws Exception {
        connection.setAutoCommit(true);
        int given = 0;
        for (var claim : claims) {
            given += claim.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        assertThat(given).isEqualTo(SESSIONS);
    }

    private void define(int places) {
        store.quotas().define(Quota.atOnce("customer", places), ADA);
    }

    private void submit(int count, Policy policy) {
        var work = new ArrayList<Submission>();
        for (int i = 0; i < count; i++) {
            work.add(Submission.of("work", Payload.EMPTY).policy(policy));
        }
        store.submissions().submit(work).forEach(Answer::orThrow);
    }

    private List<Fence> claim(Session session, long number) {
        return store.claims().claim(new Claim(session.id(), number, 1)).leases().stream()
                .map(lease -> lease.fence())
                .toList();
    }

    private void end(Fence fence) {
        store.leases()
                .end(List.of(new Ending.Complete(fence, Payload.EMPTY)))
                .forEach(Answer::orThrow);
    }

    /** Waits until no more claims come to wait for the meter. */
    private void awaitAllWaiting() throws SQLException {
        long began = System.nanoTime();
        int waiting = 0;
        for (int same = 0; waiting == 0 || same < 10; same++) {
            assertThat(System.nanoTime() - began).isLessThan(PATIENCE.toNanos());
            LockSupport.parkNanos(Duration.ofMillis(20).toNanos());
            int now = waiting();
            same = now == waiting ? same : 0;
            waiting = now;
        }
    }

    private int waiting() throws SQLException {
        try (var other = TestPostgres.connect();
                var statement =
                        other.prepareStatement(
                                "select count(*) from pg_stat_activity where application_name = ?"
                                        + " and wait_event_type = 'Lock'")) {
            statement.setString(1, schema.text());
            try (var row = statement.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }
}
