package io.flowfabric.bench.contender;

import dev.dbos.transact.DBOS;
import dev.dbos.transact.DBOSClient;
import dev.dbos.transact.config.DBOSConfig;
import dev.dbos.transact.workflow.Queue;
import dev.dbos.transact.workflow.Workflow;

import io.flowfabric.bench.server.Login;

import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** DBOS Transact: workflows without steps on a queue, so many at a time. */
public final class DbosQueue implements Contender {
    private static final String QUEUE = "bench";
    private static final String VERSION = "bench";

    /** A queue takes more work only when it polls, so this bounds what it can do. */
    private static final Duration POLLING = Duration.ofMillis(1);

    /** It stores one workflow with each call, so several threads call. */
    private static final int SUBMITTERS = 8;

    private final int workers;
    private final PeerDatabase database;
    private HandlerRuns runs = new HandlerRuns(0);
    private int submitted;

    /** What is to be done, as DBOS wants it declared. */
    public interface Nothing {
        void nothing(int nth);
    }

    /** Does it. */
    public static final class NothingWorkflow implements Nothing {
        private final HandlerRuns runs;

        NothingWorkflow(HandlerRuns runs) {
            this.runs = runs;
        }

        @Override
        @Workflow(name = "nothing")
        public void nothing(int nth) {
            runs.ran(nth);
        }
    }

    public DbosQueue(Login login, int workers) {
        this.workers = workers;
        database = new PeerDatabase(login, workers);
        // The tables are made by a start.
        launched().close();
    }

    @Override
    public String key() {
        return "dbos";
    }

    @Override
    public String name() {
        return "DBOS";
    }

    @Override
    public void submit(int executions) throws SQLException {
        int first = submitted;
        submitted += executions;
        var options =
                new DBOSClient.EnqueueOptions("nothing", NothingWorkflow.class.getName(), QUEUE)
                        .withAppVersion(VERSION);
        try (var client = new DBOSClient(database.pool());
                var threads = Executors.newFixedThreadPool(SUBMITTERS)) {
            var calls = new ArrayList<Future<?>>();
            for (int nth = first; nth < submitted; nth++) {
                var input = new Object[] {nth};
                calls.add(threads.submit(() -> client.enqueueWorkflow(options, input)));
            }
            for (var call : calls) {
                call.get();
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new SQLException(e);
        }
    }

    @Override
    public int ready() throws SQLException {
        return in("ENQUEUED");
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        runs = new HandlerRuns(submitted);
        var dbos = launched();
        try {
            return runs.await(() -> in("SUCCESS") == submitted);
        } finally {
            dbos.close();
        }
    }

    private DBOS launched() {
        var dbos =
                new DBOS(
                        DBOSConfig.defaults("bench")
                                .withDataSource(database.pool())
                                .withAppVersion(VERSION)
                                .withExecutorId("bench"));
        dbos.registerQueue(
                new Queue(QUEUE).withWorkerConcurrency(workers).withPollingInterval(POLLING));
        dbos.registerProxy(Nothing.class, new NothingWorkflow(runs));
        dbos.launch();
        return dbos;
    }

    @Override
    public void verify() throws SQLException {
        runs.verify(name());
        if (in("SUCCESS") != submitted) {
            throw new IllegalStateException(
                    "DBOS finished %,d of %,d.".formatted(in("SUCCESS"), submitted));
        }
    }

    private int in(String status) throws SQLException {
        return database.count(
                "select count(*) from dbos.workflow_status where status = '%s'".formatted(status));
    }

    @Override
    public void clear() throws SQLException {
        database.execute("truncate dbos.workflow_status cascade");
        submitted = 0;
    }

    @Override
    public void close() {
        database.close();
    }
}
