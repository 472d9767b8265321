package io.flowfabric.testkit.memory;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.store.Wakeups;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Who is told of ready work and of lost leases, and what the present commit will tell them.
 *
 * <p>A commit collects its news while it goes on. Listeners hear them after it, outside the lock;
 * of a commit that failed they hear nothing.
 */
final class MemoryWakeups implements Wakeups {
    private final MemoryState world;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SessionId>> lossListeners = new CopyOnWriteArrayList<>();

    /** Where work became ready: the one piece that it is, or none where it may be more. */
    private final Map<Lane, Optional<UUID>> ready = new HashMap<>();

    private final Set<SessionId> losing = new HashSet<>();
    private final List<Consumer<UUID>> streamListeners = new CopyOnWriteArrayList<>();
    private final Set<UUID> streaming = new HashSet<>();

    /**
     * What a commit has to tell.
     *
     * @param ready the lanes in which work became ready, with the piece if it is only one
     * @param losing the sessions that may have lost leases
     * @param streaming the executions whose streams have gone on
     */
    record CommitNews(Map<Lane, Optional<UUID>> ready, Set<SessionId> losing, Set<UUID> streaming) {
        static final CommitNews NONE = new CommitNews(Map.of(), Set.of(), Set.of());
    }

    MemoryWakeups(MemoryState world) {
        this.world = world;
    }

    @Override
    public Listening listen(Listener listener) {
        return world.call(
                () -> {
                    listeners.add(listener);
                    return () -> listeners.remove(listener);
                });
    }

    @Override
    public Listening listenForLosses(Consumer<SessionId> listener) {
        return world.call(
                () -> {
                    lossListeners.add(listener);
                    return () -> lossListeners.remove(listener);
                });
    }

    @Override
    public Listening listenForStreams(Consumer<UUID> listener) {
        return world.call(
                () -> {
                    streamListeners.add(listener);
                    return () -> streamListeners.remove(listener);
                });
    }

    @Override
    public void pass(Lane lane, Listener from) {
        var others =
                world.call(() -> listeners.stream().filter(other -> !other.equals(from)).toList());
        others.forEach(listener -> listener.ready(lane));
    }

    /** There may be work in a lane. */
    void wake(Lane lane) {
        ready.put(lane, Optional.empty());
    }

    /** A piece of work is ready in a lane. */
    void wake(Lane lane, UUID work) {
        ready.merge(
                lane,
                Optional.of(work),
                (one, other) -> one.equals(other) ? one : Optional.empty());
    }

    /** Work behind a quota or a budget may have room now, in whichever lane it waits. */
    void wakeAll(Namespace namespace) {
        world.lanes.in(namespace).forEach(this::wake);
    }

    /** A session may have lost leases. */
    void loses(SessionId session) {
        losing.add(session);
    }

    /** The streams of an execution may have gone on, or be closed. */
    void streamed(UUID execution) {
        streaming.add(execution);
    }

    /** The news of the present commit. */
    CommitNews news() {
        return new CommitNews(Map.copyOf(ready), Set.copyOf(losing), Set.copyOf(streaming));
    }

    /** Forgets the news of a commit that is over. */
    void forgetNews() {
        ready.clear();
        losing.clear();
        streaming.clear();
    }

    void tell(CommitNews news) {
        news.ready.forEach(this::tell);
        news.losing.forEach(session -> lossListeners.forEach(listener -> listener.accept(session)));
        news.streaming.forEach(
                execution -> streamListeners.forEach(listener -> listener.accept(execution)));
    }

    private void tell(Lane lane, Optional<UUID> work) {
        for (var listener : listeners) {
            if (work.isEmpty()) {
                listener.ready(lane);
            } else if (listener.take(lane, work.get())) {
                return;
            }
        }
    }
}
