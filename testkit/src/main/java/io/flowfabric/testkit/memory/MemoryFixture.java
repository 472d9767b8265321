package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.VirtualClock;

import java.time.Duration;
import java.time.Instant;

/** A store in memory, under test. */
public final class MemoryFixture implements StoreFixture {
    private final MemoryStore store;
    private final VirtualClock clock;

    public MemoryFixture() {
        this(new VirtualClock());
    }

    private MemoryFixture(VirtualClock clock) {
        this(new MemoryStore(clock), clock);
    }

    public MemoryFixture(MemoryStore store, VirtualClock clock) {
        this.store = store;
        this.clock = clock;
    }

    @Override
    public MemoryStore store() {
        return store;
    }

    @Override
    public Instant now() {
        return clock.instant();
    }

    @Override
    public void advance(Duration step) {
        clock.advance(step);
    }

    @Override
    public void poison(ExecutionId execution) {
        store.poison(execution);
    }

    @Override
    public void heal(ExecutionId execution) {
        store.heal(execution);
    }

    @Override
    public void close() {
        store.close();
    }
}
