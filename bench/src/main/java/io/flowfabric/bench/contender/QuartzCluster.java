package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;

import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;

/** Quartz on JDBC as a cluster of one: one durable job, and a trigger for each execution. */
public final class QuartzCluster implements Contender {
    private static final String DATABASE = "bench";
    private static final String GROUP = "nothing";
    private static final int CHUNK = 500;

    /** Longer than any drain: what waits in a backlog is not too late. */
    private static final Duration MISFIRE = Duration.ofHours(1);

    private static final JobDetail JOB =
            JobBuilder.newJob(Nothing.class).withIdentity("job", GROUP).storeDurably().build();

    private final int workers;
    private final PeerDatabase database;
    private HandlerRuns runs = new HandlerRuns(0);
    private int submitted;

    /** What is to be done: nothing. */
    public static final class Nothing implements Job {
        private final HandlerRuns runs;

        Nothing(HandlerRuns runs) {
            this.runs = runs;
        }

        @Override
        public void execute(JobExecutionContext context) {
            runs.ran(Integer.parseInt(context.getTrigger().getKey().getName()));
        }
    }

    public QuartzCluster(Login login, int workers) throws SQLException {
        this.workers = workers;
        database = new PeerDatabase(login, workers);
        database.execute(tables());
        DBConnectionManager.getInstance().addConnectionProvider(DATABASE, new Pooled(database));
    }

    @Override
    public String key() {
        return "quartz";
    }

    @Override
    public String name() {
        return "Quartz";
    }

    @Override
    public void submit(int executions) throws SQLException {
        try {
            var scheduler = scheduler();
            try {
                for (int left = executions; left > 0; left -= CHUNK) {
                    scheduler.scheduleJobs(
                            Map.of(JOB, triggers(Math.min(left, CHUNK))), /* replace= */ true);
                }
            } finally {
                scheduler.shutdown();
            }
        } catch (SchedulerException e) {
            throw new SQLException(e);
        }
    }

    private Set<Trigger> triggers(int count) {
        var triggers = new HashSet<Trigger>();
        for (int i = 0; i < count; i++) {
            triggers.add(
                    TriggerBuilder.newTrigger()
                            .withIdentity(Integer.toString(submitted++), GROUP)
                            .forJob(JOB)
                            .startNow()
                            .build());
        }
        return triggers;
    }

    @Override
    public int ready() throws SQLException {
        return database.count("select count(*) from qrtz_triggers");
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        runs = new HandlerRuns(submitted);
        var job = new Nothing(runs);
        try {
            var scheduler = scheduler();
            scheduler.setJobFactory((fired, of) -> job);
            scheduler.start();
            try {
                return runs.await(() -> ready() == 0);
            } finally {
                scheduler.shutdown(/* waitForJobsToComplete= */ true);
            }
        } catch (SchedulerException e) {
            throw new SQLException(e);
        }
    }

    private Scheduler scheduler() throws SchedulerException {
        var settings = new Properties();
        settings.put("org.quartz.scheduler.instanceName", "bench");
        settings.put("org.quartz.scheduler.instanceId", "AUTO");
        settings.put("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.put("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", "" + workers);
        settings.put("org.quartz.threadPool.class", "org.quartz.simpl.SimpleThreadPool");
        settings.put("org.quartz.threadPool.threadCount", "" + workers);
        settings.put("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.put(
                "org.quartz.jobStore.driverDelegateClass",
                "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        settings.put("org.quartz.jobStore.dataSource", DATABASE);
        settings.put("org.quartz.jobStore.isClustered", "true");
        settings.put("org.quartz.jobStore.acquireTriggersWithinLock", "true");
        settings.put("org.quartz.jobStore.misfireThreshold", "" + MISFIRE.toMillis());
        return new StdSchedulerFactory(settings).getScheduler();
    }

    /** A trigger that has fired for the last time is deleted, so only the handler knows. */
    @Override
    public void verify() throws SQLException {
        runs.verify(name());
        if (ready() != 0) {
            throw new IllegalStateException(
                    "Quartz left %,d executions behind.".formatted(ready()));
        }
    }

    @Override
    public void clear() throws SQLException {
        database.execute(
                "truncate qrtz_triggers, qrtz_simple_triggers, qrtz_fired_triggers,"
                        + " qrtz_cron_triggers, qrtz_simprop_triggers, qrtz_blob_triggers");
        submitted = 0;
    }

    @Override
    public void close() {
        database.close();
    }

    /** The tables as Quartz ships them. */
    private static String tables() {
        var file = "/org/quartz/impl/jdbcjobstore/tables_postgres.sql";
        try (var in = Scheduler.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new FileNotFoundException(file);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connections as Quartz asks for them. */
    private record Pooled(PeerDatabase database) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return database.pool().getConnection();
        }

        @Override
        public void initialize() {}

        /** The pool is closed with its contender: a scheduler is only one of several. */
        @Override
        public void shutdown() {}
    }
}
