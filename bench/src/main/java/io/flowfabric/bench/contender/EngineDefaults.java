package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.engine.Engine;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;

/** An engine and one worker as anybody would start them, with a handler that does nothing. */
public final class EngineDefaults implements Contender {
    private final String key;
    private final String name;
    private final StoreSchema schema;
    private final Submissions submissions;
    private final int workers;
    private final IntFunction<Policy> policy;

    public EngineDefaults(Login login, int workers) throws SQLException {
        this(login, workers, "default", "engine, defaults");
    }

    /** One of several, told apart by its key, and with a schema of its own. */
    public EngineDefaults(Login login, int workers, String key, String name) throws SQLException {
        this(login, workers, key, name, nth -> Policy.DEFAULT);
    }

    /** The same, whose work is submitted with policies of its own. */
    public EngineDefaults(
            Login login, int workers, String key, String name, IntFunction<Policy> policy)
            throws SQLException {
        this.key = key;
        this.name = name;
        this.schema = StoreSchema.open(login, "engine_" + key, login.options().connections());
        this.submissions = new Engine(schema.store()).submissions();
        this.workers = workers;
        this.policy = policy;
    }

    /** What is done while an engine and its worker run. */
    public interface Watch<T> {
        T watch() throws InterruptedException;
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
        schema.submit(submissions, executions, policy);
    }

    /** Stores work that waits for something that does not come, in the same lane. */
    public void submitBeside(int executions, Policy waiting) {
        schema.submitBeside(submissions, executions, waiting);
    }

    @Override
    public int ready() throws SQLException {
        return schema.ready();
    }

    /** How many executions are stored, whatever became of them. */
    public int stored() {
        return schema.stored();
    }

    /** Stores executions that have ended; something must have been submitted before. */
    public void fill(int executions) throws SQLException {
        schema.fill(executions);
    }

    /** The store underneath, to ask and to configure. */
    public Store store() {
        return schema.store();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        return atWork().drain(ready());
    }

    /** Runs an engine and its worker for as long as somebody watches. */
    public <T> T running(Watch<T> watch) throws InterruptedException {
        return atWork().running(watch);
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

    private EngineAtWork atWork() {
        return new EngineAtWork(schema.store(), workers, List.of(Namespace.DEFAULT));
    }
}
