package io.flowfabric.valkey.internal;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.valkey.internal.wire.Packer;
import io.flowfabric.valkey.internal.wire.Wire;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * What this process tells others: lanes that have work, sessions that have lost leases, and
 * executions whose streams went on. Each is told at once, and not again for a moment: what comes
 * meanwhile is told once, at the end of it. In a cluster every message goes to every node.
 */
final class WakeupNews {
    private static final Duration PAUSE = Duration.ofMillis(10);

    /** Of more than these it is not known any more when they were told. */
    private static final int MOST = 4096;

    private final Wire wire;
    private final UUID self;
    private final Executor later =
            CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    private final Map<Object, Long> told = LatelyUsed.ofMost(MOST);
    private Set<Lane> lanes = new LinkedHashSet<>();
    private Set<SessionId> losing = new LinkedHashSet<>();
    private Set<UUID> streaming = new LinkedHashSet<>();
    private boolean waiting;

    /**
     * @param self by which this process knows its own messages
     */
    WakeupNews(Wire wire, UUID self) {
        this.wire = wire;
        this.self = self;
    }

    void tell(List<Lane> ready, List<SessionId> losers, List<UUID> streamed) {
        var first = new ArrayList<Lane>();
        var lost = new ArrayList<SessionId>();
        var said = new ArrayList<UUID>();
        synchronized (this) {
            long now = System.nanoTime();
            ready.forEach(lane -> (isNew(lane, now) ? first : lanes).add(lane));
            losers.forEach(session -> (isNew(session, now) ? lost : losing).add(session));
            streamed.forEach(id -> (isNew(id, now) ? said : streaming).add(id));
            if (!waiting && !(lanes.isEmpty() && losing.isEmpty() && streaming.isEmpty())) {
                waiting = true;
                later.execute(this::tellTheRest);
            }
        }
        publish(first, lost, said);
    }

    private boolean isNew(Object word, long now) {
        var before = told.get(word);
        boolean isNew = before == null || now - before >= PAUSE.toNanos();
        if (isNew) {
            told.put(word, now);
        }
        return isNew;
    }

    private void tellTheRest() {
        Set<Lane> ready;
        Set<SessionId> losers;
        Set<UUID> streamed;
        synchronized (this) {
            ready = lanes;
            losers = losing;
            streamed = streaming;
            lanes = new LinkedHashSet<>();
            losing = new LinkedHashSet<>();
            streaming = new LinkedHashSet<>();
            waiting = false;
            long now = System.nanoTime();
            ready.forEach(lane -> told.put(lane, now));
            losers.forEach(session -> told.put(session, now));
            streamed.forEach(id -> told.put(id, now));
        }
        publish(ready, losers, streamed);
    }

    private void publish(
            Collection<Lane> ready, Collection<SessionId> losers, Collection<UUID> streamed) {
        if (!ready.isEmpty() || !losers.isEmpty() || !streamed.isEmpty()) {
            var packer = new Packer().list(4).uuid(self);
            packer.list(
                    ready,
                    (out, lane) -> out.list(2).text(lane.namespace().name()).text(lane.name()));
            packer.list(losers, (out, session) -> out.uuid(session.uuid()));
            packer.list(streamed, (out, id) -> out.uuid(id));
            wire.publish(packer.done());
        }
    }
}
