package io.flowfabric.postgres.internal.ready;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Wakeups;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Wakes those who wait for work, and sessions that have lost some: in this process directly, in
 * others through the {@link WakeupNotifier}.
 */
public final class PostgresWakeups implements Wakeups {
    private final List<Consumer<Lane>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SessionId>> losers = new CopyOnWriteArrayList<>();
    private volatile BiConsumer<Lane, QueueOrder> others = (lane, order) -> {};
    private volatile Consumer<SessionId> otherLosers = session -> {};
    private volatile boolean closed;

    @Override
    public Listening listen(Consumer<Lane> listener) {
        checkOpen();
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public Listening listenForLosses(Consumer<SessionId> listener) {
        checkOpen();
        losers.add(listener);
        return () -> losers.remove(listener);
    }

    private void checkOpen() {
        if (closed) {
            throw new Unavailable("The store is closed; open another one.");
        }
    }

    /** Where it is announced to other processes that work became ready here, or was lost. */
    public void announceTo(BiConsumer<Lane, QueueOrder> ready, Consumer<SessionId> lost) {
        others = ready;
        otherLosers = lost;
    }

    /** Work became ready through this process. */
    public void wake(Lane lane, QueueOrder order) {
        heard(lane);
        others.accept(lane, order);
    }

    /** Work became ready through another process. */
    public void heard(Lane lane) {
        listeners.forEach(listener -> listener.accept(lane));
    }

    /** A session lost work through this process. */
    public void lost(SessionId session) {
        heardOfLoss(session);
        otherLosers.accept(session);
    }

    /** A session lost work through another process. */
    public void heardOfLoss(SessionId session) {
        losers.forEach(listener -> listener.accept(session));
    }

    public void close() {
        closed = true;
    }
}
