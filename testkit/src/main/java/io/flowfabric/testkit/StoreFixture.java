package io.flowfabric.testkit;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;

import java.time.Duration;
import java.time.Instant;

/**
 * A fresh, empty store under test whose time stands still, and whose chores are done only when a
 * test says so.
 */
public interface StoreFixture extends AutoCloseable {
    Store store();

    /** The store's clock. */
    Instant now();

    /** Lets time pass. Nothing happens by itself: that is what {@link #tick} is for. */
    void advance(Duration step);

    /** Damages what is stored of an execution so badly that the store cannot read it any more. */
    void poison(ExecutionId execution);

    /** Mends what {@link #poison} damaged. */
    void heal(ExecutionId execution);

    /** Does every chore until there is nothing left that is due. */
    default void tick() {
        for (Chore chore : Chore.values()) {
            while (store().maintenance().tick(chore, 1000).more()) {
                // There was more than one round can hold.
            }
        }
    }

    /** Lets time pass and does what has become due. */
    default void pass(Duration step) {
        advance(step);
        tick();
    }

    @Override
    void close();
}
