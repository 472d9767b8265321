package io.flowfabric.bench.contender;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.policy.Policy;

import java.sql.SQLException;
import java.time.Duration;

/** An engine that drains beside work which came first, and waits for a budget that is used up. */
public final class BesideShut implements Contender {
    private static final Attribution BENCH = new Attribution("bench", "to measure it");

    private final EngineDefaults engine;
    private final int waiting;

    /**
     * @param waiting how much waits
     */
    public BesideShut(EngineDefaults engine, int waiting) {
        this.engine = engine;
        this.waiting = waiting;
        engine.store().budgets().define(Budget.of("shut", "tokens", 0), BENCH);
    }

    @Override
    public String key() {
        return engine.key();
    }

    @Override
    public String name() {
        return engine.name();
    }

    @Override
    public void submit(int executions) {
        engine.submitBeside(waiting, Policy.DEFAULT.budget("shut"));
        engine.submit(executions);
    }

    @Override
    public int ready() throws SQLException {
        return engine.ready();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        return engine.drain();
    }

    @Override
    public void verify() throws SQLException {
        engine.verify();
    }

    @Override
    public void clear() throws SQLException {
        engine.clear();
    }

    @Override
    public void close() {
        engine.close();
    }
}
