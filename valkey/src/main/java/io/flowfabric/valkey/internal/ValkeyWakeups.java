package io.flowfabric.valkey.internal;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Wire;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Tells listeners of this process and of others that there may be work, or losses. */
public final class ValkeyWakeups implements Wakeups {
    private static final Logger log = LoggerFactory.getLogger(ValkeyWakeups.class);

    /** By which this process knows its own messages. */
    private final UUID self = UUID.randomUUID();

    private final WakeupNews news;
    private volatile boolean closed;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SessionId>> lossListeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<UUID>> streamListeners = new CopyOnWriteArrayList<>();

    ValkeyWakeups(Wire wire) {
        this.news = new WakeupNews(wire, self);
        wire.listen(this::hear);
    }

    @Override
    public Listening listen(Listener listener) {
        mustBeOpen();
        listeners.add(listener);
        return () -> listeners.remove(listener);
    }

    @Override
    public Listening listenForLosses(Consumer<SessionId> listener) {
        mustBeOpen();
        lossListeners.add(listener);
        return () -> lossListeners.remove(listener);
    }

    @Override
    public Listening listenForStreams(Consumer<UUID> listener) {
        mustBeOpen();
        streamListeners.add(listener);
        return () -> streamListeners.remove(listener);
    }

    @Override
    public void pass(Lane lane, Listener from) {
        mustBeOpen();
        listeners.stream()
                .filter(other -> !other.equals(from))
                .forEach(other -> guarded(() -> other.ready(lane)));
        news.tell(List.of(lane), List.of(), List.of());
    }

    /**
     * Passes on what a function has told of: lanes with work, sessions with losses, and executions
     * whose streams went on. What was done is done, whatever listeners make of it.
     */
    void tell(Item told) {
        guarded(() -> pass(told));
    }

    private void pass(Item told) {
        var others = new ArrayList<Lane>();
        for (var one : told.at(0).list()) {
            var lane = new Lane(new Namespace(one.at(0).text()), one.at(1).text());
            if (!taken(lane, one.at(2).optional(Item::uuid))) {
                others.add(lane);
            }
        }
        var losing = told.at(1).list(id -> new SessionId(id.uuid()));
        losing.forEach(this::tellOfLoss);
        var streamed = told.at(2).list(Item::uuid);
        streamed.forEach(this::tellOfStream);
        news.tell(others, losing, streamed);
    }

    private boolean taken(Lane lane, Optional<UUID> work) {
        for (var listener : listeners) {
            if (work.isEmpty()) {
                guarded(() -> listener.ready(lane));
            } else if (takes(listener, lane, work.get())) {
                return true;
            }
        }
        return false;
    }

    private static boolean takes(Listener listener, Lane lane, UUID work) {
        try {
            return listener.take(lane, work);
        } catch (RuntimeException failure) {
            complain(failure);
            return false;
        }
    }

    private void tellOfLoss(SessionId session) {
        lossListeners.forEach(listener -> guarded(() -> listener.accept(session)));
    }

    private void tellOfStream(UUID execution) {
        streamListeners.forEach(listener -> guarded(() -> listener.accept(execution)));
    }

    private static void guarded(Runnable telling) {
        try {
            telling.run();
        } catch (RuntimeException failure) {
            complain(failure);
        }
    }

    private static void complain(RuntimeException failure) {
        log.warn("Something that listens for wake-ups has failed; it will poll.", failure);
    }

    private void hear(byte[] message) {
        guarded(() -> read(message));
    }

    private void read(byte[] message) {
        var told = Item.read(message);
        if (told.at(0).uuid().equals(self)) {
            return;
        }
        for (var one : told.at(1).list()) {
            var lane = new Lane(new Namespace(one.at(0).text()), one.at(1).text());
            listeners.forEach(listener -> guarded(() -> listener.ready(lane)));
        }
        for (var one : told.at(2).list()) {
            tellOfLoss(new SessionId(one.uuid()));
        }
        if (told.list().size() > 3) {
            told.at(3).list().forEach(one -> tellOfStream(one.uuid()));
        }
    }

    /**
     * @throws Unavailable when the store is closed
     */
    void mustBeOpen() {
        if (closed) {
            throw new Unavailable("The store is closed; open another one.");
        }
    }

    void close() {
        closed = true;
        listeners.clear();
        lossListeners.clear();
        streamListeners.clear();
    }
}
