package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Payload;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineMetrics;
import io.flowfabric.engine.EngineOptions;
import io.flowfabric.worker.Worker;

import java.sql.SQLException;
import java.time.Duration;

/** An engine and one worker as anybody would start them, with a handler that does nothing. */
public final class EngineDefaults implements Contender {
    private final String key;
    private final String name;
    private final StoreSchema schema;
    private final int workers;

    public EngineDefaults(Login login, int workers) throws SQLException {
        this(login, workers, "default", "engine, defaults");
    }

    /** One of several, told apart by its key, which is also the name of its schema. */
    public EngineDefaults(Login login, int workers, String key, String name) throws SQLException {
        this.key = key;
        this.name = name;
        // A prefix, because default is a word of SQL.
        this.schema = StoreSchema.open(login, "engine_" + key, login.options().connections());
        this.workers = workers;
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void submit(int executions) {
        schema.submit(executions);
    }

    @Override
    public Duration drain() throws InterruptedException {
        var counting = new Counting();
        try (var engine = new Engine(schema.store(), EngineOptions.DEFAULT, counting)) {
            engine.start();
            var worker = worker(engine);
            var line = new FinishLine(schema.submitted());
            counting.line = line;
            worker.start();
            try {
                return line.await();
            } finally {
                worker.stop();
            }
        }
    }

    /** The worker, not yet started. */
    private Worker worker(Engine engine) {
        return Worker.on(engine)
                .name("bench")
                .concurrency(workers)
                .handle(StoreSchema.KIND, task -> Payload.EMPTY)
                .build();
    }

    @Override
    public void verify() throws SQLException {
        schema.verify();
    }

    @Override
    public void clear() throws SQLException {
        schema.clear();
    }

    @Override
    public void close() {
        schema.close();
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
