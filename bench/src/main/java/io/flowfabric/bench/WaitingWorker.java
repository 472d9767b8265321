package io.flowfabric.bench;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.engine.Time;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.Worker;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** An engine and a worker that has nothing to do, until it is given one thing at a time. */
final class WaitingWorker implements AutoCloseable {
    private static final Lane LANE = Lane.of("enqueue");
    private static final String KIND = "nothing";
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** Until everything that follows the end of the last one is over. */
    private static final Duration REST = Duration.ofMillis(15);

    private final AtomicInteger parked = new AtomicInteger();
    private final BlockingQueue<Long> starts = new LinkedBlockingQueue<>();
    private final PostgresStore store;
    private final Engine engine;
    private final Worker worker;
    private long started;

    WaitingWorker(Login login, int concurrency) {
        store = PostgresStore.open(login.options(), new SchemaName("enqueue"));
        engine = new Engine(store, EngineOptions.DEFAULT, new Parked());
        engine.start();
        worker =
                Worker.on(engine)
                        .name("bench")
                        .lane(LANE.name())
                        .concurrency(concurrency)
                        .handle(KIND, this::start)
                        .start();
    }

    private final class Parked implements EngineMetrics {
        @Override
        public void parked(int change) {
            parked.addAndGet(change);
        }
    }

    private Payload start(Task task) {
        starts.add(System.nanoTime());
        return Payload.EMPTY;
    }

    /** Submits in somebody's transaction, who does not commit yet. */
    void enqueue(Connection transaction) {
        store.in(transaction).submit(work());
    }

    /** Submits as everybody does. */
    void submit() {
        engine.submissions().submit(List.of(work())).forEach(Answer::orThrow);
    }

    private static Submission work() {
        return Submission.of(KIND, Payload.EMPTY).lane(LANE);
    }

    /** Returns when the worker waits, and there is nothing left to do for anybody. */
    void awaitParked() {
        do {
            pass(REST);
        } while (parked.get() == 0);
    }

    /** What makes work visible. */
    interface Cause {
        void happen() throws SQLException;
    }

    /** How long it takes from just before a cause until the handler runs. */
    long nanosUntilStartOf(Cause cause) throws SQLException, InterruptedException {
        if (!starts.isEmpty()) {
            throw new IllegalStateException("Something was started that nobody has submitted.");
        }
        long before = System.nanoTime();
        cause.happen();
        var start = starts.poll(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        if (start == null) {
            throw new IllegalStateException("Nothing was started for %s.".formatted(PATIENCE));
        }
        started++;
        return start - before;
    }

    /** Everything that was started is completed, and nothing else was ever there. */
    void verify() {
        awaitParked();
        var counts = store.queries().counts(Namespace.DEFAULT);
        if (!counts.equals(Map.of(LANE, Map.of(PublicState.COMPLETED, started)))) {
            throw new IllegalStateException(
                    "%,d were started, and there are %s.".formatted(started, counts));
        }
    }

    private static void pass(Duration time) {
        long until = Time.SYSTEM.nanos() + time.toNanos();
        for (long left = time.toNanos(); left > 0; left = until - Time.SYSTEM.nanos()) {
            Time.SYSTEM.park(left);
        }
    }

    @Override
    public void close() {
        worker.stop();
        engine.close();
        store.close();
    }
}
