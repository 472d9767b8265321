package io.flowfabric.postgres.internal.ready;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Wakeups;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Wakes those who wait for work: in this process directly, in others through the {@link
 * WakeupNotifier}.
 */
public final class PostgresWakeups implements Wakeups {
    /** Whether work became ready in its turn, or may have a place before what was taken. */
    public enum Order {
        KEPT,
        BROKEN
    }

    private final List<Consumer<Lane>> listeners = new CopyOnWriteArrayList<>();
    private volatile BiConsumer<Lane, Order> others = (lane, order) -> {};
    private volatile boolean closed;

    @Override
    public Listening listen(Consumer<Lane> listener) {
        if (closed) {
            throw new Unavailable("The store is closed; open another one.");
        }
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    /** Where work that became ready here is announced to other processes. */
    public void announceTo(BiConsumer<Lane, Order> bell) {
        others = bell;
    }

    /** Work became ready through this process. */
    public void wake(Lane lane, Order order) {
        heard(lane);
        others.accept(lane, order);
    }

    /** Work became ready through another process. */
    public void heard(Lane lane) {
        listeners.forEach(listener -> listener.accept(lane));
    }

    public void close() {
        closed = true;
    }
}
