package io.flowfabric.valkey.internal;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Wakeups;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;
import io.flowfabric.valkey.internal.wire.Wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** Tells listeners of this process and of others that there may be work, or losses. */
public final class ValkeyWakeups implements Wakeups {
    private final Wire wire;

    /** By which this process knows its own messages. */
    private final UUID self = UUID.randomUUID();

    private volatile boolean closed;
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<SessionId>> lossListeners = new CopyOnWriteArrayList<>();

    ValkeyWakeups(Wire wire) {
        this.wire = wire;
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
    public void pass(Lane lane, Listener from) {
        mustBeOpen();
        listeners.stream().filter(other -> !other.equals(from)).forEach(other -> other.ready(lane));
        publish(List.of(lane), List.of());
    }

    /** Passes on what a function has told of: lanes with work, and sessions with losses. */
    void tell(Item news) {
        var others = new ArrayList<Lane>();
        for (var one : news.at(0).list()) {
            var lane = new Lane(new Namespace(one.at(0).text()), one.at(1).text());
            if (!taken(lane, one.at(2).optional(Item::uuid))) {
                others.add(lane);
            }
        }
        var losing = news.at(1).list(id -> new SessionId(id.uuid()));
        losing.forEach(session -> lossListeners.forEach(listener -> listener.accept(session)));
        if (!others.isEmpty() || !losing.isEmpty()) {
            publish(others, losing);
        }
    }

    private boolean taken(Lane lane, Optional<UUID> work) {
        for (var listener : listeners) {
            if (work.isEmpty()) {
                listener.ready(lane);
            } else if (listener.take(lane, work.get())) {
                return true;
            }
        }
        return false;
    }

    private void publish(List<Lane> lanes, List<SessionId> losing) {
        var packer = new Packer().list(3).uuid(self);
        packer.list(
                lanes, (out, lane) -> out.list(2).text(lane.namespace().name()).text(lane.name()));
        packer.list(losing, (out, session) -> out.uuid(session.uuid()));
        wire.publish(packer.done());
    }

    private void hear(byte[] message) {
        var told = Item.read(message);
        if (told.at(0).uuid().equals(self)) {
            return;
        }
        for (var one : told.at(1).list()) {
            var lane = new Lane(new Namespace(one.at(0).text()), one.at(1).text());
            listeners.forEach(listener -> listener.ready(lane));
        }
        for (var one : told.at(2).list()) {
            var session = new SessionId(one.uuid());
            lossListeners.forEach(listener -> listener.accept(session));
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
    }
}
