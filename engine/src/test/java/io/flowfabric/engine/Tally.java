package io.flowfabric.engine;

import io.flowfabric.core.contract.Maintenance.Chore;
import io.flowfabric.core.state.Transition;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** What an engine counted. */
public final class Tally implements EngineMetrics {
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    public int of(String what) {
        return counts.getOrDefault(what, 0);
    }

    @Override
    public void submitted(int count) {
        counts.merge("submitted", count, Integer::sum);
    }

    @Override
    public void claimed(int count) {
        counts.merge("claimed", count, Integer::sum);
    }

    @Override
    public void ended(Transition transition, int count) {
        counts.merge("ended " + transition, count, Integer::sum);
    }

    @Override
    public void leaseLost(int count) {
        counts.merge("lease lost", count, Integer::sum);
    }

    @Override
    public void sessionDied() {
        counts.merge("session died", 1, Integer::sum);
    }

    @Override
    public void sweepErrors(Chore chore, int count) {
        counts.merge("sweep errors " + chore, count, Integer::sum);
    }

    @Override
    public void parked(int change) {
        counts.merge("parked", change, Integer::sum);
    }
}
