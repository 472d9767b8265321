package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;

import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.jobs.mappers.JobMapper;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.StorageProvider;
import org.jobrunr.storage.sql.common.SqlStorageProviderFactory;
import org.jobrunr.utils.mapper.JsonMapper;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;

import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.IntStream;

/** JobRunr, the open source edition: job requests, a server with so many workers. */
public final class JobRunrServer implements Contender {
    /** The least that this edition accepts on SQL; a worker that is done does not wait for it. */
    private static final Duration POLLING = Duration.ofSeconds(5);

    private final int workers;
    private final PeerDatabase database;
    private final JsonMapper json = new Jackson3JsonMapper();
    private final StorageProvider storage;
    private final JobRequestScheduler scheduler;
    private HandlerRuns runs = new HandlerRuns(0);
    private int submitted;

    /** What is to be done: nothing. */
    public record Request(int nth) implements JobRequest {
        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** Does it. */
    public static final class Handler implements JobRequestHandler<Request> {
        private final HandlerRuns runs;

        Handler(HandlerRuns runs) {
            this.runs = runs;
        }

        @Override
        public void run(Request request) {
            runs.ran(request.nth());
        }
    }

    public JobRunrServer(Login login, int workers) {
        this.workers = workers;
        database = new PeerDatabase(login, workers);
        storage = SqlStorageProviderFactory.using(database.pool());
        storage.setJobMapper(new JobMapper(json));
        scheduler = new JobRequestScheduler(storage);
    }

    @Override
    public String key() {
        return "jobrunr";
    }

    @Override
    public String name() {
        return "JobRunr";
    }

    @Override
    public void submit(int executions) {
        int first = submitted;
        submitted += executions;
        scheduler.enqueue(IntStream.range(first, submitted).mapToObj(Request::new));
    }

    @Override
    public int ready() throws SQLException {
        return in("ENQUEUED");
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        runs = new HandlerRuns(submitted);
        var handler = new Handler(runs);
        var configuration =
                BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                        .andWorkerCount(workers)
                        .andPollInterval(POLLING);
        var server = new BackgroundJobServer(storage, json, activating(handler), configuration);
        server.start();
        try {
            return runs.await(() -> in("SUCCEEDED") == submitted);
        } finally {
            server.stop();
        }
    }

    private static JobActivator activating(Handler handler) {
        return new JobActivator() {
            @Override
            public <T> T activateJob(Class<T> type) {
                return type.cast(handler);
            }
        };
    }

    @Override
    public void verify() throws SQLException {
        runs.verify(name());
        if (in("SUCCEEDED") != submitted) {
            throw new IllegalStateException(
                    "JobRunr finished %,d of %,d.".formatted(in("SUCCEEDED"), submitted));
        }
    }

    private int in(String state) throws SQLException {
        return database.count(
                "select count(*) from jobrunr_jobs where state = '%s'".formatted(state));
    }

    @Override
    public void clear() throws SQLException {
        database.execute("truncate jobrunr_jobs");
        submitted = 0;
    }

    @Override
    public void close() {
        storage.close();
        database.close();
    }
}
