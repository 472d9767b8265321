package io.flowfabric.postgres.internal.ready;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Wakeups;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Wakes those who wait for work, and sessions that have lost some: in this process directly, in
 * others through the {@link WakeupNotifier}.
 *
 * <p>One piece of work that a waiter of this process will look for is not announced to others,
 * unless that comes to nothing ({@link #pass}).
 */
public final class PostgresWakeups implements Wakeups {
    /** Whether work became ready in its turn, or may have a place before what was taken. */
    public enum Order {
        KEPT,
        BROKEN
    }

    /** What other processes are told of a lane. */
    public enum News {
        /** There may be work. */
        WORK,
        /** Work may have a place before what was taken: their low-water marks are wrong. */
        PLACES,
        /** Both of it. */
        WORK_AND_PLACES;

        /** This and other news of the same lane. */
        News and(News other) {
            return this == other ? this : WORK_AND_PLACES;
        }
    }

    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SessionId>> losers = new CopyOnWriteArrayList<>();
    private volatile BiConsumer<Lane, News> others = (lane, news) -> {};
    private volatile Consumer<SessionId> otherLosers = session -> {};
    private final List<Consumer<UUID>> readers = new CopyOnWriteArrayList<>();
    private volatile Consumer<UUID> otherReaders = execution -> {};
    private volatile boolean closed;

    @Override
    public Listening listen(Listener listener) {
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

    @Override
    public Listening listenForStreams(Consumer<UUID> listener) {
        checkOpen();
        readers.add(listener);
        return () -> readers.remove(listener);
    }

    private void checkOpen() {
        if (closed) {
            throw new Unavailable("The store is closed; open another one.");
        }
    }

    /**
     * Where it is announced to other processes that work became ready here, or was lost, or that
     * streams went on.
     */
    public void announceTo(
            BiConsumer<Lane, News> ready, Consumer<SessionId> lost, Consumer<UUID> streamed) {
        others = ready;
        otherLosers = lost;
        otherReaders = streamed;
    }

    /**
     * Work became ready through this process.
     *
     * @param work the only piece of it; none where it may be more
     */
    public void wake(Lane lane, Optional<UUID> work, Order order) {
        boolean taken = work.isPresent() && isTaken(lane, work.get());
        if (work.isEmpty()) {
            heard(lane);
        }
        if (order == Order.BROKEN) {
            // Also of work that is looked for here: the claims of others would not see it behind
            // their marks, should it be left to them.
            others.accept(lane, taken ? News.PLACES : News.WORK_AND_PLACES);
        } else if (!taken) {
            others.accept(lane, News.WORK);
        }
    }

    private boolean isTaken(Lane lane, UUID work) {
        for (var listener : listeners) {
            if (listener.take(lane, work)) {
                return true;
            }
        }
        return false;
    }

    /** Work became ready through another process. */
    public void heard(Lane lane) {
        listeners.forEach(listener -> listener.ready(lane));
    }

    @Override
    public void pass(Lane lane, Listener from) {
        checkOpen();
        for (var listener : listeners) {
            if (!listener.equals(from)) {
                listener.ready(lane);
            }
        }
        others.accept(lane, News.WORK);
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

    /** A stream of an execution went on through this process. */
    public void streamed(UUID execution) {
        heardOfStream(execution);
        otherReaders.accept(execution);
    }

    /** A stream of an execution went on through another process. */
    public void heardOfStream(UUID execution) {
        readers.forEach(listener -> listener.accept(execution));
    }

    public void close() {
        closed = true;
    }
}
