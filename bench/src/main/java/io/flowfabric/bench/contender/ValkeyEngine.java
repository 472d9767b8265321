package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.core.Namespace;
import io.flowfabric.engine.Engine;

import java.time.Duration;
import java.util.List;

/** What {@link EngineDefaults} is, on Valkey, with a worker for each namespace. */
public final class ValkeyEngine implements Contender {
    private final String key;
    private final String name;
    private final ValkeyBacklog backlog;
    private final int workers;

    /** One with everything in the default namespace. */
    public ValkeyEngine(RedisServer server, int workers, String key, String name) {
        this(server, workers, key, name, List.of(Namespace.DEFAULT));
    }

    /**
     * One of several, told apart by its key.
     *
     * @param namespaces over which work is spread evenly
     */
    public ValkeyEngine(
            RedisServer server, int workers, String key, String name, List<Namespace> namespaces) {
        this(workers, key, name, new ValkeyBacklog(server, namespaces));
    }

    private ValkeyEngine(int workers, String key, String name, ValkeyBacklog backlog) {
        this.key = key;
        this.name = name;
        this.backlog = backlog;
        this.workers = workers;
    }

    /** One with everything in a namespace that is spread over so many partitions. */
    public static ValkeyEngine spread(
            RedisServer server, int workers, String key, String name, int partitions) {
        var namespace = new Namespace("spread");
        return new ValkeyEngine(
                workers, key, name, new ValkeyBacklog(server, List.of(namespace), partitions));
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
        backlog.submit(new Engine(backlog.store()).submissions(), executions);
    }

    @Override
    public int ready() {
        return backlog.ready();
    }

    /** How many executions are stored, whatever became of them. */
    public int stored() {
        return backlog.stored();
    }

    /** Stores executions and does them, many at a time. */
    public void fill(int executions) throws InterruptedException {
        submit(executions);
        new ValkeyHands(backlog).drain();
    }

    /** Lets only what is submitted from now on be checked step by step. */
    public void mark() {
        backlog.mark();
    }

    @Override
    public Duration drain() throws InterruptedException {
        return atWork().drain(ready());
    }

    /** Runs an engine and its workers for as long as somebody watches. */
    public <T> T running(EngineDefaults.Watch<T> watch) throws InterruptedException {
        return atWork().running(watch);
    }

    @Override
    public void verify() {
        backlog.verify();
    }

    @Override
    public void clear() {
        backlog.clear();
    }

    @Override
    public void close() {
        backlog.close();
    }

    private EngineAtWork atWork() {
        return new EngineAtWork(backlog.store(), workers, backlog.namespaces());
    }
}
