package io.flowfabric.worker;

import java.util.List;
import java.util.Set;

/** How a batch is brought to the store. */
interface Commit<T> {
    /** What the items are, for the log. */
    String items();

    /** How large an item is, roughly, where that can be much. */
    default long bytes(T item) {
        return 0;
    }

    /** Whether those whose items were just committed often have the next one at once. */
    default boolean leadsToMore(List<T> batch) {
        return false;
    }

    /**
     * Brings a batch to the store, and returns the items that got no answer: they are repeated.
     * When it throws because the store cannot be used now, all of them are; when it throws anything
     * else, the batch is split at once until those that it is about are alone.
     */
    Set<T> commit(List<T> batch);

    /**
     * Hears that an item failed alone, and says whether it is tried again after a while, perhaps as
     * something else.
     */
    boolean failedAlone(T item, Throwable why);

    /** Hears that an item is lost, by a fault of this process: it is not tried any more. */
    void lost(T item, Throwable why);

    /** Hears that the worker has stopped before the store has answered an item. */
    default void abandoned(T item) {}
}
