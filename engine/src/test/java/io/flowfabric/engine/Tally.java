package io.flowfabric.engine;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What an engine counted. */
public final class Tally implements EngineMetrics {
    private final Map<String, Integer> counts = new ConcurrentHashMap<>();

    /** Whether it was told of this at all, be it zero times. */
    public boolean heardOf(String what) {
        return counts.containsKey(what);
    }

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
    public void granted(int count) {
        add("granted", count);
    }

    @Override
    public void redeemed(int count) {
        add("redeemed", count);
    }

    @Override
    public void ticketRefused(Denied.Code code) {
        add("refused " + code, 1);
    }

    @Override
    public void ended(Transition transition, int count) {
        counts.merge("ended " + transition, count, Integer::sum);
    }

    @Override
    public void answered(MeasuredCall call, int got, Set<AdmissionBlock> shut) {
        var outcome = got == 0 ? "nothing" : got < call.wanted() ? "some" : "full";
        add("%s %s".formatted(call.call().wire(), outcome), 1);
        add(call.call().wire() + " ms", (int) call.took().toMillis());
        shut.forEach(block -> add("shut " + block, 1));
    }

    @Override
    public void callFailed(MeasuredCall call) {
        add(call.call().wire() + " failed", 1);
        add(call.call().wire() + " ms", (int) call.took().toMillis());
    }

    @Override
    public void followFailed() {
        add("follow failed", 1);
    }

    @Override
    public void attempted(Lane lane, Transition transition, int count) {
        add("attempted %s %s".formatted(lane.name(), transition), count);
    }

    @Override
    public void checkpointed(int count) {
        add("checkpointed", count);
    }

    @Override
    public void appended(int count) {
        add("appended", count);
    }

    @Override
    public void fenced(FencedCall call, int count) {
        add("lease lost", count);
        add("fenced " + call, count);
    }

    @Override
    public void renewed(boolean acknowledged) {
        add(acknowledged ? "renewed" : "not renewed", 1);
    }

    @Override
    public void atCapacity() {
        add("at capacity", 1);
    }

    @Override
    public void overLimit(String dimension, boolean hard) {
        add("over %s limit of %s".formatted(hard ? "hard" : "soft", dimension), 1);
    }

    @Override
    public void swept(Chore chore, int processed, Duration took) {
        add("swept " + chore, 1);
    }

    @Override
    public void recounted(Counted what, int counters, long drift) {
        add("recounted " + what, 1);
        add("drift of " + what, (int) drift);
    }

    @Override
    public void recountFailed(Counted what) {
        add("recount failed " + what, 1);
    }

    private void add(String what, int count) {
        counts.merge(what, count, Integer::sum);
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
