package io.flowfabric.cli.dev;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The worker processes of a run. None of them outlives it. */
final class WorkerProcesses implements AutoCloseable {
    private final DevStore store;
    private final StoreLogin login;
    private final Path logs;
    private final List<WorkerProcess> workers = new ArrayList<>();

    /**
     * @param login for each of them
     * @param logs the folder for what the workers log
     */
    WorkerProcesses(DevStore store, StoreLogin login, Path logs) {
        this.store = store;
        this.login = login;
        this.logs = logs;
    }

    /** Starts these at once, and returns when all of them take work. */
    List<WorkerProcess> start(Profile... profiles) {
        var started = Stream.of(profiles).map(this::launch).toList();
        started.forEach(WorkerProcess::awaitReady);
        return started;
    }

    /** Lets all of them finish what they are doing, and waits until they have ended. */
    @Override
    public void close() {
        workers.forEach(WorkerProcess::dismiss);
        workers.forEach(WorkerProcess::awaitEnd);
    }

    private WorkerProcess launch(Profile profile) {
        var log = Logs.file(logs, "worker-" + profile.worker());
        var worker = WorkerProcess.start(profile, store, login, log);
        workers.add(worker);
        return worker;
    }
}
