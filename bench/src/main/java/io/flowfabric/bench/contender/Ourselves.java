package io.flowfabric.bench.contender;

import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.EngineMetrics;

import java.sql.SQLException;
import java.time.Duration;

/**
 * The product as its users start it, by its facade: what other systems, and the store underneath,
 * are compared with.
 */
public final class Ourselves implements Contender {
    private final String key;
    private final StoreSchema schema;
    private final Counting counting = new Counting();
    private final FlowFabric fabric;
    private final int workers;

    private Ourselves(StoreSchema schema, int workers, String key) {
        this.key = key;
        this.schema = schema;
        this.workers = workers;
        this.fabric = FlowFabric.on(schema.store(), FabricOptions.DEFAULT.metrics(counting));
    }

    /**
     * Opens it.
     *
     * @param key what the ratios call it
     */
    public static Contender open(Login login, int workers, String key) throws SQLException {
        var schema = StoreSchema.open(login, "engine_" + key, login.options().connections());
        return new Ourselves(schema, workers, key);
    }

    @Override
    public String key() {
        return key;
    }

    @Override
    public String name() {
        return "FlowFabric";
    }

    @Override
    public void submit(int executions) {
        schema.submit(fabric.engine().submissions(), executions, nth -> Policy.DEFAULT);
    }

    @Override
    public int ready() throws SQLException {
        return schema.ready();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        counting.line = new FinishLine(ready());
        try (var worker =
                fabric.worker("bench")
                        .concurrency(workers)
                        .run(StoreSchema.KIND, Payload.class, (task, nothing) -> {})
                        .start()) {
            assert worker.running();
            return counting.line.await();
        }
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
        fabric.close();
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
