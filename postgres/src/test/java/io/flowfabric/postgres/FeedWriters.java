package io.flowfabric.postgres;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.submit.Submission;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Writers that commit out of order: some hold transactions of their own open for a while, some work
 * on executions that others work on too.
 */
final class FeedWriters implements AutoCloseable {
    private static final Lane LANE = Lane.of("busy");
    private static final Attribution ADA = new Attribution("ada", "she keeps changing her mind");
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(150);
    private static final Duration USUAL_PAUSE = Duration.ofMillis(20);

    private final PostgresStore store;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Future<?>> working = new ArrayList<>();
    private final Set<ExecutionId> undone = ConcurrentHashMap.newKeySet();
    private volatile boolean enough;

    FeedWriters(PostgresStore store) {
        this.store = store;
    }

    /** Lets so many submit in transactions, and so many others do everything else. */
    void start(int transactions, int workers) {
        for (int i = 0; i < transactions; i++) {
            repeat(i, this::transaction);
        }
        for (int i = 0; i < workers; i++) {
            var worker = new Worker("worker-" + i);
            repeat(transactions + i, worker::turn);
        }
    }

    /** One turn of a writer. */
    private interface Turn {
        void take(Random random) throws SQLException;
    }

    private void repeat(long seed, Turn turn) {
        Callable<Boolean> writing =
                () -> {
                    var random = new Random(seed);
                    while (!enough) {
                        turn.take(random);
                        pause(random);
                    }
                    return true;
                };
        working.add(threads.submit(writing));
    }

    private void transaction(Random random) throws SQLException {
        try (var connection = begin()) {
            var ids = submit(connection, 1 + random.nextInt(3));
            pause(random);
            if (random.nextInt(8) == 0) {
                connection.rollback();
                undone.addAll(ids);
            } else {
                connection.commit();
            }
        }
    }

    /** A transaction of an application. */
    static Connection begin() throws SQLException {
        var connection = TestPostgres.connect();
        connection.setAutoCommit(false);
        return connection;
    }

    List<ExecutionId> submit(Connection connection, int count) {
        return store.in(connection).submit(work(count)).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    /** What was submitted and rolled back, and so never was. */
    Set<ExecutionId> undone() {
        return Set.copyOf(undone);
    }

    /** Ends when everybody has ended, and fails if somebody has. */
    void end() throws Exception {
        enough = true;
        for (var one : working) {
            one.get();
        }
    }

    @Override
    public void close() {
        enough = true;
        threads.close();
    }

    private static List<Submission> work(int count) {
        return Stream.generate(() -> Submission.of("work", Payload.EMPTY).lane(LANE))
                .limit(count)
                .toList();
    }

    /** Takes a while, as work does, and now and then much longer than the others take. */
    private static void pause(Random random) {
        var longest = random.nextInt(8) == 0 ? LONGEST_PAUSE : USUAL_PAUSE;
        LockSupport.parkNanos(random.nextLong(longest.toNanos()));
    }

    /** A worker and an operator in one. Others may be faster: a refusal is an answer, too. */
    private final class Worker {
        private final Session session;
        private long claims;

        Worker(String name) {
            session = Session.of(name, name + "-1", LANE.name()).ttl(Duration.ofHours(1));
            store.sessions().open(session);
        }

        void turn(Random random) {
            var ids =
                    store.submissions().submit(work(1 + random.nextInt(2))).stream()
                            .map(answer -> answer.orThrow().id())
                            .toList();
            switch (random.nextInt(5)) {
                case 0 -> act(new OperatorCommand.Cancel(ids.getFirst()));
                case 1 -> {
                    act(new OperatorCommand.Pause(ids.getFirst()));
                    act(new OperatorCommand.Resume(ids.getFirst()));
                }
                case 2 -> store.maintenance().tick(Chore.TIMERS, 100);
                case 3 -> store.sessions().heartbeat(List.of(Heartbeat.of(session.id())));
                default -> act(new OperatorCommand.Reprioritise(ids.getFirst(), random.nextInt(9)));
            }
            var leases = store.claims().claim(new Claim(session.id(), ++claims, 8)).leases();
            store.leases().end(leases.stream().map(lease -> ending(lease, random)).toList());
        }

        private void act(OperatorCommand act) {
            store.operations().act(List.of(act), ADA);
        }

        private static Ending ending(Lease lease, Random random) {
            var fence = lease.fence();
            return switch (random.nextInt(6)) {
                case 0 -> new Ending.Release(fence);
                case 1 -> new Ending.Cancel(fence, "no longer needed");
                case 2 ->
                        new Ending.Fail(
                                fence,
                                Failure.of(Failure.TRANSIENT, "again"),
                                new RetryDecision.TryAgain(Duration.ofMillis(20)));
                default -> new Ending.Complete(fence, Payload.EMPTY);
            };
        }
    }
}
