package io.flowfabric.engine;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.Set;

/** Metrics that survive a failing registry: a metric that fails must not undo what it is about. */
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
    public void granted(int count) {
        guard(() -> metrics.granted(count));
    }

    @Override
    public void redeemed(int count) {
        guard(() -> metrics.redeemed(count));
    }

    @Override
    public void ticketRefused(Denied.Code code) {
        guard(() -> metrics.ticketRefused(code));
    }

    @Override
    public void ended(Transition transition, int count) {
        guard(() -> metrics.ended(transition, count));
    }

    @Override
    public void answered(MeasuredCall call, int got, Set<AdmissionBlock> shut) {
        guard(() -> metrics.answered(call, got, shut));
    }

    @Override
    public void callFailed(MeasuredCall call) {
        guard(() -> metrics.callFailed(call));
    }

    @Override
    public void followFailed() {
        guard(metrics::followFailed);
    }

    @Override
    public void attempted(Lane lane, Transition transition, int count) {
        guard(() -> metrics.attempted(lane, transition, count));
    }

    @Override
    public void fenced(FencedCall call, int count) {
        guard(() -> metrics.fenced(call, count));
    }

    @Override
    public void renewed(boolean acknowledged) {
        guard(() -> metrics.renewed(acknowledged));
    }

    @Override
    public void atCapacity() {
        guard(metrics::atCapacity);
    }

    @Override
    public void overLimit(String dimension, boolean hard) {
        guard(() -> metrics.overLimit(dimension, hard));
    }

    @Override
    public void swept(Chore chore, int processed, Duration took) {
        guard(() -> metrics.swept(chore, processed, took));
    }

    @Override
    public void recounted(Counted what, int counters, long drift) {
        guard(() -> metrics.recounted(what, counters, drift));
    }

    @Override
    public void recountFailed(Counted what) {
        guard(() -> metrics.recountFailed(what));
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
        } catch (RuntimeException | Error e) {
            LOG.warn("A metric could not be counted.", e);
        }
    }
}
