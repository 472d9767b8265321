package io.flowfabric.bench.contender;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.bench.server.Login;
import io.flowfabric.postgres.SchemaName;

import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * db-scheduler with what its documentation recommends for high throughput on Postgres: executions
 * are locked as they are fetched, and fetched in time to keep every thread busy.
 */
public final class DbScheduler implements Contender {
    /** A fetch begins when there are no more executions left than this many for each thread. */
    private static final double FETCH_BELOW = 1.0;

    /** A fetch fills up to this many for each thread. */
    private static final double FETCH_UP_TO = 4.0;

    /** Only matters when a fetch found less than it asked for, and at the very start. */
    private static final Duration POLLING = Duration.ofMillis(100);

    /** As many as the product sends in one commit. */
    private static final int CHUNK = 1000;

    /** What polling and heartbeats use besides the threads. */
    private static final int OWN_CONNECTIONS = 4;

    private final int workers;
    private final HikariDataSource pool;
    private final SchedulerClient client;
    private final OneTimeTask<Void> task =
            Tasks.oneTime("nothing").execute((it, context) -> ran(it));
    private int submitted;
    private AtomicIntegerArray runs = new AtomicIntegerArray(0);

    public DbScheduler(Login login, int workers) throws SQLException {
        this.workers = workers;
        var config = new HikariConfig();
        // Without the rewriting, the driver would send a batch of inserts row by row.
        config.setJdbcUrl(login.url() + "&prepareThreshold=1&reWriteBatchedInserts=true");
        config.setUsername(login.user());
        config.setPassword(login.password());
        config.setMaximumPoolSize(workers + OWN_CONNECTIONS);
        pool = new HikariDataSource(config);
        client = SchedulerClient.Builder.create(pool, task).build();
        execute(Script.load("db-scheduler.sql", new SchemaName("public")));
    }

    @Override
    public String key() {
        return "dbscheduler";
    }

    @Override
    public String name() {
        return "db-scheduler";
    }

    @Override
    public void submit(int executions) {
        for (int left = executions; left > 0; left -= CHUNK) {
            var chunk = new ArrayList<TaskInstance<?>>(CHUNK);
            for (int i = 0; i < Math.min(left, CHUNK); i++) {
                chunk.add(task.instance(Integer.toString(submitted++)));
            }
            client.scheduleBatch(chunk, Instant.now());
        }
        runs = new AtomicIntegerArray(submitted);
    }

    @Override
    public int ready() throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select count(*) from scheduled_tasks")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        var counting = new Counting();
        var scheduler =
                Scheduler.create(pool, task)
                        .threads(workers)
                        .pollUsingLockAndFetch(FETCH_BELOW, FETCH_UP_TO)
                        .pollingInterval(POLLING)
                        .addSchedulerListener(counting)
                        .build();
        counting.line = new FinishLine(ready());
        scheduler.start();
        try {
            return counting.line.await();
        } finally {
            scheduler.stop();
        }
    }

    private void ran(TaskInstance<Void> instance) {
        runs.incrementAndGet(Integer.parseInt(instance.getId()));
    }

    /** A finished execution leaves no row behind, so the handler has counted its runs. */
    @Override
    public void verify() throws SQLException {
        for (int i = 0; i < submitted; i++) {
            if (runs.get(i) != 1) {
                throw new IllegalStateException(
                        "db-scheduler ran execution %d %d times.".formatted(i, runs.get(i)));
            }
        }
        if (ready() != 0) {
            throw new IllegalStateException(
                    "db-scheduler left %,d executions behind.".formatted(ready()));
        }
    }

    @Override
    public void clear() throws SQLException {
        execute("truncate scheduled_tasks");
        submitted = 0;
    }

    private void execute(String sql) throws SQLException {
        try (var connection = pool.getConnection();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() {
        pool.close();
    }

    /** Hears of every finish after its row was deleted. */
    private static final class Counting extends AbstractSchedulerListener {
        private volatile FinishLine line = new FinishLine(0);

        @Override
        public void onExecutionComplete(ExecutionComplete complete) {
            line.finished(1);
        }
    }
}
