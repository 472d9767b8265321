package io.flowfabric.faults;

import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** Submitters that submit a little all the time, and repeat what they got no answer to. */
final class Load implements AutoCloseable {
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final AtomicLong accepted = new AtomicLong();
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
            accepted.addAndGet(FaultScenario.submit(store, FaultScenario.work(batch)).size());
            Waiting.pause(pause);
        }
    }

    /** How much was accepted so far. */
    long accepted() {
        return accepted.get();
    }

    /** Ends it, and says how much was accepted; nobody may have been told but to repeat. */
    long end() throws Exception {
        over = true;
        for (var submitter : submitters) {
            submitter.get();
        }
        return accepted.get();
    }

    @Override
    public void close() {
        over = true;
        threads.close();
    }
}
