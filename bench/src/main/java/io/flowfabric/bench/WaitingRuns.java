package io.flowfabric.bench;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Bulk;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.Time;
import io.flowfabric.worker.TaskResult;
import io.flowfabric.worker.Worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The runs of which {@link Waiting} tells. */
final class WaitingRuns {
    private static final Attribution BENCH = new Attribution("bench", "to measure it");
    private static final Suspension GO = Suspension.until("go", Condition.signal("go"));
    private static final int STEPS = 10;
    private static final int CLAIM = 64;
    private static final int CLAIMS = 50;
    private static final double MILLION = 1_000_000;

    private WaitingRuns() {}

    /** Times in milliseconds, sorted. */
    record Times(List<Double> millis) {
        static Times of(List<Long> nanos) {
            return new Times(nanos.stream().map(time -> time / MILLION).sorted().toList());
        }

        double median() {
            return at(0.5);
        }

        double at(double share) {
            return millis.get((int) Math.min(millis.size() - 1, share * millis.size()));
        }
    }

    private static Signal go(ExecutionId execution) {
        return Signal.of(new Waitpoint(execution, "go"), "go", Payload.EMPTY, BENCH).key("go");
    }

    /** How long it takes from sending a signal until the handler runs that waits for it. */
    static Times resumed(Store store, int many) throws InterruptedException {
        var begun = new LinkedBlockingQueue<ExecutionId>();
        var again = new LinkedBlockingQueue<Long>();
        Map<ExecutionId, Boolean> seen = new ConcurrentHashMap<>();
        var nanos = new ArrayList<Long>();
        var engine = new Engine(store);
        engine.start();
        var worker =
                Worker.on(engine)
                        .name("waiting")
                        .lane("resumed")
                        .handleWithResult(
                                "wait",
                                task -> {
                                    if (seen.putIfAbsent(task.execution(), true) == null) {
                                        begun.add(task.execution());
                                        return TaskResult.suspend(GO);
                                    }
                                    again.add(System.nanoTime());
                                    return TaskResult.complete(Payload.EMPTY);
                                })
                        .start();
        try {
            for (int n = 0; n < many; n++) {
                engine.submit(Submission.of("wait", Payload.EMPTY).lane("resumed"));
                var id = begun.take();
                while (state(store, id) != PublicState.SUSPENDED) {
                    Time.SYSTEM.park(100_000);
                }
                long sent = System.nanoTime();
                engine.signals().send(List.of(go(id))).getFirst().orThrow();
                nanos.add(again.take() - sent);
            }
        } finally {
            worker.stop();
            engine.stop();
        }
        return Times.of(nanos.subList(many / 10, many));
    }

    private static PublicState state(Store store, ExecutionId id) {
        return store.queries().describe(List.of(id)).getFirst().orThrow().state().publicState();
    }

    /** What was measured beside much that waits. */
    record Beside(
            double claimRatio,
            double suspensionsPerSecond,
            double signalsPerSecond,
            double drainedPerSecond) {}

    static Beside beside(Store store, int many, Consumer<String> progress)
            throws InterruptedException {
        var lane = Lane.of("beside");
        var session = Session.of("hands", "hands", lane.name()).ttl(Duration.ofHours(1));
        store.sessions().open(session);
        submit(store, lane, CLAIM * CLAIMS);
        var alone = claims(store, session, 0);
        submit(store, lane, many);
        long began = System.nanoTime();
        suspend(store, session, many);
        double suspensions = perSecond(many, began);
        submit(store, lane, CLAIM * CLAIMS);
        var beside = claims(store, session, 2_000_000);
        progress.accept("one signal to each of them");
        began = System.nanoTime();
        var search = Search.in(Namespace.DEFAULT).lane(lane.name()).states(PublicState.SUSPENDED);
        Bulk.signal(store, WaitingRuns::go).run(search, sent -> {});
        double signals = perSecond(many, began);
        began = System.nanoTime();
        drain(store, session, many);
        return new Beside(
                beside.median() / alone.median(), suspensions, signals, perSecond(many, began));
    }

    private static double perSecond(int many, long began) {
        return many * 1e9 / (System.nanoTime() - began);
    }

    private static void submit(Store store, Lane lane, int many) {
        var all =
                Stream.generate(() -> Submission.of("noop", Payload.EMPTY).lane(lane))
                        .limit(many)
                        .toList();
        for (int from = 0; from < many; from += 1000) {
            store.submissions()
                    .submit(all.subList(from, Math.min(many, from + 1000)))
                    .forEach(Answer::orThrow);
        }
    }

    private static Times claims(Store store, Session session, long first) {
        var nanos = new ArrayList<Long>();
        for (int n = 1; n <= CLAIMS; n++) {
            long began = System.nanoTime();
            var leases = store.claims().claim(new Claim(session.id(), first + n, CLAIM)).leases();
            nanos.add(System.nanoTime() - began);
            complete(store, leases);
        }
        return Times.of(nanos);
    }

    private static void complete(Store store, List<Lease> leases) {
        store.leases()
                .end(
                        leases.stream()
                                .<Ending>map(
                                        lease -> new Ending.Complete(lease.fence(), Payload.EMPTY))
                                .toList())
                .forEach(Answer::orThrow);
    }

    private static void suspend(Store store, Session session, int many) {
        long number = 1_000_000;
        for (int left = many; left > 0; ) {
            var leases =
                    store.claims()
                            .claim(new Claim(session.id(), ++number, (int) Limit.CLAIM.max()))
                            .leases();
            store.leases()
                    .end(
                            leases.stream()
                                    .<Ending>map(lease -> new Ending.Suspend(lease.fence(), GO))
                                    .toList())
                    .forEach(Answer::orThrow);
            left -= leases.size();
        }
    }

    private static void drain(Store store, Session session, int many) {
        long number = 3_000_000;
        for (int left = many; left > 0; ) {
            var leases =
                    store.claims()
                            .claim(new Claim(session.id(), ++number, (int) Limit.CLAIM.max()))
                            .leases();
            complete(store, leases);
            left -= leases.size();
        }
    }

    /** Handlers with steps, and plain ones. */
    record Stepping(double ratio, double stepsPerSecond) {}

    static Stepping stepping(Store store, int many, int workers) throws InterruptedException {
        double plain = rate(store, "plain", many * (STEPS + 1), workers, 0);
        double stepping = rate(store, "stepping", many, workers, STEPS);
        return new Stepping(stepping * (STEPS + 1) / plain, stepping * STEPS);
    }

    private static double rate(Store store, String lane, int many, int workers, int steps)
            throws InterruptedException {
        submit(store, Lane.of(lane), many);
        var left = new CountDownLatch(many);
        var engine = new Engine(store);
        engine.start();
        var worker =
                Worker.on(engine)
                        .name(lane)
                        .lane(lane)
                        .concurrency(workers)
                        .handleWithResult(
                                "noop",
                                task -> {
                                    for (int n = 0; n < steps; n++) {
                                        task.checkpoint("step " + n, Payload.EMPTY);
                                    }
                                    left.countDown();
                                    return TaskResult.complete(Payload.EMPTY);
                                });
        long began = System.nanoTime();
        var running = worker.start();
        left.await();
        double rate = perSecond(many, began);
        running.stop();
        engine.stop();
        return rate;
    }
}
