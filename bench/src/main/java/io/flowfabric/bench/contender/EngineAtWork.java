package io.flowfabric.bench.contender;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.engine.Service;
import io.flowfabric.worker.Worker;

import java.time.Duration;
import java.util.List;

/**
 * An engine and its workers as anybody would start them, on whichever store, with a handler that
 * does nothing.
 *
 * @param workers how many handlers each worker runs at once
 * @param namespaces each has a worker
 */
record EngineAtWork(Store store, int workers, List<Namespace> namespaces) {

    /** Does what is ready; the time from the start of the workers to the last finish. */
    Duration drain(int ready) throws InterruptedException {
        var counting = new Counting();
        try (var engine = new Engine(store, EngineOptions.DEFAULT, counting)) {
            engine.start();
            var all = workers(engine);
            counting.line = new FinishLine(ready);
            all.forEach(Service::start);
            try {
                return counting.line.await();
            } finally {
                all.forEach(Service::stop);
            }
        }
    }

    /** Runs for as long as somebody watches. */
    <T> T running(EngineDefaults.Watch<T> watch) throws InterruptedException {
        try (var engine = new Engine(store)) {
            engine.start();
            var all = workers(engine);
            all.forEach(Service::start);
            try {
                return watch.watch();
            } finally {
                all.forEach(Service::stop);
            }
        }
    }

    private List<Worker> workers(Engine engine) {
        return namespaces.stream().map(namespace -> worker(engine, namespace)).toList();
    }

    private Worker worker(Engine engine, Namespace namespace) {
        return Worker.on(engine)
                .name("bench")
                .namespace(namespace)
                .concurrency(workers)
                .handle(StoreSchema.KIND, task -> Payload.EMPTY)
                .build();
    }

    /** Hears of every finish once the store has acknowledged it. */
    private static final class Counting implements EngineMetrics {
        private volatile FinishLine line = new FinishLine(0);

        @Override
        public void ended(Transition transition, int count) {
            line.finished(count);
        }
    }
}
