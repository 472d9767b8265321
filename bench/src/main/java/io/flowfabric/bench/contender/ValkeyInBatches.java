package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.RedisServer;
import io.flowfabric.core.Namespace;

import java.time.Duration;
import java.util.List;

/** The store on Valkey without an engine: a hundred at a time, to see what they cost the server. */
public final class ValkeyInBatches implements Contender {
    private final ValkeyBacklog backlog;

    public ValkeyInBatches(RedisServer server) {
        backlog = new ValkeyBacklog(server, List.of(Namespace.DEFAULT));
    }

    @Override
    public String key() {
        return "valkey_batched";
    }

    @Override
    public String name() {
        return "Valkey: store alone, %d at a time".formatted(ValkeyHands.BATCH);
    }

    @Override
    public void submit(int executions) {
        backlog.submit(backlog.store().submissions(), executions);
    }

    @Override
    public int ready() {
        return backlog.ready();
    }

    @Override
    public Duration drain() throws InterruptedException {
        return new ValkeyHands(backlog).drain();
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
}
