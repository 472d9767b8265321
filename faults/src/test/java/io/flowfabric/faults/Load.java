package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.contract.Store;

import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

/** Submitters that submit a little all the time, and repeat what they got no answer to. */
final class Load implements AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final Queue<ExecutionId> accepted = new ConcurrentLinkedQueue<>();
    private final List<Future<?>> submitters;
    private volatile boolean over;

    private Load(Store store, int submitters, int batch, Duration pause) {
        this.submitters =
                IntStream.range(0, submitters)
                        .<Future<?>>mapToObj(
                                i -> threads.submit(() -> submitAll(store, batch, pause)))
                        .toList();
    }

    static Load on(Store store, int submitters, int batch, Duration pause) {
        return new Load(store, submitters, batch, pause);
    }

    private void submitAll(Store store, int batch, Duration pause) {
        while (!over) {
            accepted.addAll(World.submit(store, World.work(batch)));
            Waiting.pause(pause);
        }
    }

    int accepted() {
        return accepted.size();
    }

    /** Ends it; nobody may have been told anything but to repeat. */
    List<ExecutionId> end() throws Exception {
        over = true;
        for (var submitter : submitters) {
            submitter.get();
        }
        return List.copyOf(accepted);
    }

    @Override
    public void close() {
        over = true;
        threads.close();
    }
}
