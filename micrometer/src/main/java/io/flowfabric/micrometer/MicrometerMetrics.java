package io.flowfabric.micrometer;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.engine.EngineMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;

import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts in a registry of Micrometer, for one engine or several: {@code new Engine(store, options,
 * new MicrometerMetrics(registry))}.
 *
 * <p>Meters have the names of the original FlowFabric wherever it has them, as Prometheus writes
 * them: {@code ff.budget.hit} is {@code ff_budget_hit_total} there. {@code docs/metrics.md} lists
 * them all.
 */
public final class MicrometerMetrics implements EngineMetrics {
    /** The bounds of what is counted by how long it took. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(2),
        Duration.ofMillis(5),
        Duration.ofMillis(10),
        Duration.ofMillis(25),
        Duration.ofMillis(50),
        Duration.ofMillis(100),
        Duration.ofMillis(250),
        Duration.ofMillis(500),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5),
        Duration.ofSeconds(30)
    };

    /** In the words of the original. What only pauses an attempt is no outcome of it. */
    private static final Map<Transition, String> OUTCOMES =
            Map.of(
                    Transition.COMPLETE, "ok",
                    Transition.FAIL, "error",
                    Transition.RETRY, "retry",
                    Transition.CANCEL, "cancelled");

    private final MeterRegistry registry;
    private final FewValues lanes = new FewValues();
    private final FewValues dimensions = new FewValues();
    private final FewValues kinds = new FewValues();
    private final AtomicInteger parked = new AtomicInteger();

    public MicrometerMetrics(MeterRegistry registry) {
        this.registry = registry;
        registry.gauge("ff.claims.parked", parked);
        // What should never happen is there from the beginning, as zero: so its rate is known.
        for (FencedCall call : FencedCall.values()) {
            fenced(call, 0);
        }
        count(0, "ff.follower.errors");
        for (Counted what : Counted.values()) {
            recounted(what, 0, 0);
        }
    }

    @Override
    public void submitted(int count) {
        count(count, "ff.submitted");
    }

    @Override
    public void claimed(int count) {
        count(count, "ff.claimed");
    }

    @Override
    public void answered(MeasuredCall call, int got, Set<AdmissionBlock> shut) {
        measured(call, got == 0 ? "nothing" : got < call.wanted() ? "some" : "full");
        for (AdmissionBlock block : shut) {
            switch (block) {
                case AdmissionBlock.Budget(var dimension) ->
                        count(1, "ff.budget.hit", "dimension", dimensions.of(dimension));
                case AdmissionBlock.Quota quota -> count(1, "ff.quota.hit", "reason", quota.wire());
            }
        }
    }

    @Override
    public void callFailed(MeasuredCall call) {
        measured(call, "error");
    }

    /** Every exit is timed: what fails slowly is what one has to see. */
    private void measured(MeasuredCall call, String outcome) {
        var name = call.call().wire();
        count(1, "ff.claim", "call", name, "outcome", outcome);
        var lane = call.session().map(this::laneOf).orElse("unknown");
        time(call.took(), "ff.claim.from.grant.duration", "call", name, "lane", lane);
    }

    @Override
    public void followFailed() {
        count(1, "ff.follower.errors");
    }

    @Override
    public void granted(int count) {
        count(count, "ff.granted");
    }

    @Override
    public void redeemed(int count) {
        count(count, "ff.redeemed");
    }

    @Override
    public void ticketRefused(Denied.Code code) {
        count(1, "ff.grant.refused", "reason", code.wire());
    }

    @Override
    public void ended(Transition transition, int count) {
        count(count, "ff.ended", "transition", transition.wire());
    }

    @Override
    public void attempted(Lane lane, Transition transition, int count) {
        var outcome = OUTCOMES.get(transition);
        if (outcome != null) {
            count(
                    count,
                    "ff.attempt.outcome",
                    "lane",
                    lanes.of(lane.toString()),
                    "outcome",
                    outcome);
        }
    }

    @Override
    public void checkpointed(int count) {
        count(count, "ff.checkpointed");
    }

    @Override
    public void appended(int count) {
        count(count, "ff.appended");
    }

    @Override
    public void fenced(FencedCall call, int count) {
        count(count, "ff.fence.refused", "call", call.wire());
    }

    @Override
    public void renewed(boolean acknowledged) {
        count(1, "ff.lease.renewal", "outcome", acknowledged ? "ok" : "error");
    }

    @Override
    public void atCapacity() {
        count(1, "ff.worker.at.capacity");
    }

    @Override
    public void sessionDied() {
        count(1, "ff.session.died");
    }

    @Override
    public void overLimit(String dimension, boolean hard) {
        count(
                1,
                "ff.budget.over.limit",
                "dimension",
                dimensions.of(dimension),
                "limit",
                hard ? "hard" : "soft");
    }

    @Override
    public void swept(Chore chore, int processed, Duration took) {
        count(1, "ff.scanner.cycle", "scanner", scanner(chore));
        count(processed, "ff.scanner.processed", "scanner", scanner(chore));
        time(took, "ff.scanner.cycle.duration", "scanner", scanner(chore));
    }

    @Override
    public void sweepErrors(Chore chore, int count) {
        count(count, "ff.scanner.errors", "scanner", scanner(chore));
    }

    @Override
    public void recounted(Counted what, int counters, long drift) {
        count(counters, "ff.recount.counters", "of", what.wire());
        count(drift, "ff.recount.drift", "of", what.wire());
    }

    @Override
    public void recountFailed(Counted what) {
        count(1, "ff.recount.errors", "of", what.wire());
    }

    @Override
    public void begun(Lane lane, Duration waited) {
        time(waited, "ff.start.wait", "lane", lanes.of(lane.toString()));
    }

    @Override
    public void handled(String kind, boolean failed, Duration took) {
        time(
                took,
                "ff.handler.duration",
                "kind",
                kinds.of(kind),
                "outcome",
                failed ? "error" : "ok");
    }

    @Override
    public void parked(int change) {
        parked.addAndGet(change);
    }

    private void count(long amount, String name, String... labels) {
        registry.counter(name, labels).increment((double) amount);
    }

    private void time(Duration took, String name, String... labels) {
        Timer.builder(name)
                .tags(labels)
                .serviceLevelObjectives(BUCKETS)
                .register(registry)
                .record(took);
    }

    /** A claim that looks into several lanes belongs to none of them. */
    private String laneOf(Session session) {
        return session.lanes().size() == 1
                ? lanes.of(new Lane(session.namespace(), session.lanes().first()).toString())
                : "several";
    }

    /**
     * The names of the original where it has a scanner for the same; one sweep is several there.
     */
    private static String scanner(Chore chore) {
        return switch (chore) {
            case SESSIONS -> "lease_expiry";
            case TIMERS -> "timers";
            case RETENTION -> "retention_trimmer";
        };
    }
}
