package io.flowfabric.engine;

import io.flowfabric.core.Fence;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A holder of leases that only notes what it is told. */
final class Recorder implements EngineSession.Holder {
    final Set<Fence> held = ConcurrentHashMap.newKeySet();
    final Set<Fence> lost = ConcurrentHashMap.newKeySet();
    final AtomicInteger deaths = new AtomicInteger();
    final AtomicInteger attended = new AtomicInteger();

    @Override
    public Set<Fence> held() {
        return held;
    }

    @Override
    public int lost(Set<Fence> fences) {
        lost.addAll(fences);
        held.removeAll(fences);
        return fences.size();
    }

    @Override
    public long attend() {
        attended.incrementAndGet();
        return EngineSession.Holder.super.attend();
    }

    @Override
    public void died() {
        deaths.incrementAndGet();
    }
}
