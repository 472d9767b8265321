package io.flowfabric.engine;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;

import org.slf4j.Logger;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Metrics that survive a failing registry: a metric that fails must not undo what it is about. */
final class GuardedMetrics implements EngineMetrics {
    private static final Logger LOG = QuietLogger.of(GuardedMetrics.class);

    private final EngineMetrics metrics;
    private final Time time;
    private final Logger log;

    /** Those that failed once, by name: one may fail while all others are counted. */
    private final Map<String, OutageLog> troubles = new ConcurrentHashMap<>();

    GuardedMetrics(EngineMetrics metrics, Time time) {
        this(metrics, time, LOG);
    }

    GuardedMetrics(EngineMetrics metrics, Time time, Logger log) {
        this.metrics = metrics;
        this.time = time;
        this.log = log;
    }

    @Override
    public void submitted(int count) {
        guard("submitted", () -> metrics.submitted(count));
    }

    @Override
    public void claimed(int count) {
        guard("claimed", () -> metrics.claimed(count));
    }

    @Override
    public void granted(int count) {
        guard("granted", () -> metrics.granted(count));
    }

    @Override
    public void redeemed(int count) {
        guard("redeemed", () -> metrics.redeemed(count));
    }

    @Override
    public void ticketRefused(Denied.Code code) {
        guard("ticketRefused", () -> metrics.ticketRefused(code));
    }

    @Override
    public void ended(Transition transition, int count) {
        guard("ended", () -> metrics.ended(transition, count));
    }

    @Override
    public void answered(MeasuredCall call, int got, Set<AdmissionBlock> shut) {
        guard("answered", () -> metrics.answered(call, got, shut));
    }

    @Override
    public void callFailed(MeasuredCall call) {
        guard("callFailed", () -> metrics.callFailed(call));
    }

    @Override
    public void followFailed() {
        guard("followFailed", metrics::followFailed);
    }

    @Override
    public void attempted(Lane lane, Transition transition, int count) {
        guard("attempted", () -> metrics.attempted(lane, transition, count));
    }

    @Override
    public void checkpointed(int count) {
        guard("checkpointed", () -> metrics.checkpointed(count));
    }

    @Override
    public void appended(int count) {
        guard("appended", () -> metrics.appended(count));
    }

    @Override
    public void fenced(FencedCall call, int count) {
        guard("fenced", () -> metrics.fenced(call, count));
    }

    @Override
    public void renewed(boolean acknowledged) {
        guard("renewed", () -> metrics.renewed(acknowledged));
    }

    @Override
    public void atCapacity() {
        guard("atCapacity", metrics::atCapacity);
    }

    @Override
    public void overLimit(String dimension, boolean hard) {
        guard("overLimit", () -> metrics.overLimit(dimension, hard));
    }

    @Override
    public void swept(Chore chore, int processed, Duration took) {
        guard("swept", () -> metrics.swept(chore, processed, took));
    }

    @Override
    public void recounted(Counted what, int counters, long drift) {
        guard("recounted", () -> metrics.recounted(what, counters, drift));
    }

    @Override
    public void recountFailed(Counted what) {
        guard("recountFailed", () -> metrics.recountFailed(what));
    }

    @Override
    public void sessionDied() {
        guard("sessionDied", metrics::sessionDied);
    }

    @Override
    public void sweepErrors(Chore chore, int count) {
        guard("sweepErrors", () -> metrics.sweepErrors(chore, count));
    }

    @Override
    public void begun(Lane lane, Duration waited) {
        guard("begun", () -> metrics.begun(lane, waited));
    }

    @Override
    public void handled(String kind, boolean failed, Duration took) {
        guard("handled", () -> metrics.handled(kind, failed, took));
    }

    @Override
    public void parked(int change) {
        guard("parked", () -> metrics.parked(change));
    }

    private void guard(String metric, Runnable count) {
        try {
            count.run();
            var trouble = troubles.get(metric);
            if (trouble != null) {
                trouble.worked();
            }
        } catch (RuntimeException | Error e) {
            var trouble = troubles.computeIfAbsent(metric, this::trouble);
            log.atLevel(trouble.isNews(e) ? Level.WARN : Level.DEBUG)
                    .setCause(e)
                    .log("The metric {} cannot be counted; the engine goes on without it.", metric);
        }
    }

    private OutageLog trouble(String metric) {
        return new OutageLog(log, time, "Counts of the metric " + metric);
    }
}
