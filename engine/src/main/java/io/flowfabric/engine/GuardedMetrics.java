package io.flowfabric.engine;

import io.flowfabric.core.contract.Maintenance.Chore;
import io.flowfabric.core.state.Transition;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts, and survives whoever counts: a metric that fails must not undo what it is about. */
final class GuardedMetrics implements EngineMetrics {
    private static final Logger LOG = LoggerFactory.getLogger(GuardedMetrics.class);

    private final EngineMetrics metrics;

    GuardedMetrics(EngineMetrics metrics) {
        this.metrics = metrics;
    }

    @Override
    public void submitted(int count) {
        guard(() -> metrics.submitted(count));
    }

    @Override
    public void claimed(int count) {
        guard(() -> metrics.claimed(count));
    }

    @Override
    public void ended(Transition transition, int count) {
        guard(() -> metrics.ended(transition, count));
    }

    @Override
    public void leaseLost(int count) {
        guard(() -> metrics.leaseLost(count));
    }

    @Override
    public void sessionDied() {
        guard(metrics::sessionDied);
    }

    @Override
    public void sweepErrors(Chore chore, int count) {
        guard(() -> metrics.sweepErrors(chore, count));
    }

    @Override
    public void parked(int change) {
        guard(() -> metrics.parked(change));
    }

    private static void guard(Runnable count) {
        try {
            count.run();
        } catch (RuntimeException e) {
            LOG.warn("A metric could not be counted.", e);
        }
    }
}
