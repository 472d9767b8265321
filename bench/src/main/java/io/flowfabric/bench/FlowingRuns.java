package io.flowfabric.bench;

import io.flowfabric.bench.WaitingRuns.Times;
import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.Time;
import io.flowfabric.worker.Worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The runs of which {@link Flowing} tells. */
final class FlowingRuns {
    private static final int LENGTH = 10;
    private static final int RUNNERS = 1_000;
    private static final int LARGE = 10_000;
    private static final int ROWS = 100;
    private static final double SECOND = 1e9;

    private FlowingRuns() {}

    private static Submission work(String lane, String input) {
        return Submission.of("noop", Payload.text(input)).lane(lane);
    }

    /** How chains went on. */
    record Chains(Times hops, double perSecond) {}

    /** Chains of ten, of which some are submitted at once until there were so many. */
    static Chains chains(Store store, int many, int atOnce, int workers)
            throws InterruptedException {
        Map<String, Long> ends = new ConcurrentHashMap<>();
        var hops = new ConcurrentLinkedQueue<Long>();
        var rates = new ArrayList<Double>();
        for (int first = 0; first < many; first += atOnce) {
            var flows = new ArrayList<FlowSubmission>();
            for (int n = first; n < first + atOnce; n++) {
                flows.add(chain(n));
            }
            var left = new CountDownLatch(atOnce * LENGTH);
            long began = System.nanoTime();
            working(
                    store,
                    "chains",
                    workers,
                    input -> {
                        int at = input.indexOf('/');
                        int place = Integer.parseInt(input.substring(at + 1));
                        var before = ends.get(input.substring(0, at + 1) + (place - 1));
                        if (before != null) {
                            hops.add(System.nanoTime() - before);
                        }
                        ends.put(input, System.nanoTime());
                        left.countDown();
                    },
                    () -> {
                        store.flows().submit(flows).forEach(Answer::orThrow);
                        left.await();
                        rates.add(atOnce * SECOND / (System.nanoTime() - began));
                    });
            flows.forEach(flow -> awaitEnd(store, flow.id()));
        }
        return new Chains(
                Times.of(List.copyOf(hops)),
                rates.stream().sorted().skip(rates.size() / 2).findFirst().orElseThrow());
    }

    private static FlowSubmission chain(int number) {
        var flow = FlowSubmission.of("chain");
        for (int n = 0; n < LENGTH; n++) {
            var work = work("chains", number + "/" + n);
            flow = n == 0 ? flow.member("0", work) : flow.member("" + n, work, "" + (n - 1));
        }
        return flow;
    }

    /** How long the end of the winner takes, until all others are called off. */
    static Times races(Store store, int many) {
        var nanos = new ArrayList<Long>();
        var session = Session.of("racer", "racer", "race").ttl(Duration.ofHours(1));
        store.sessions().open(session);
        for (int race = 1; race <= many; race++) {
            var members = new ArrayList<Member>();
            var edges = new ArrayList<Edge>();
            for (int n = 0; n < RUNNERS; n++) {
                members.add(Member.of("runner" + n, work("race", "")));
                edges.add(Edge.of("runner" + n, "end"));
            }
            members.add(Member.of("end", work("end", "")).join(Join.anyOf()));
            var flow = store.flows().submit(FlowSubmission.of("race").graph(members, edges)).id();
            // Some of the losers are at work.
            var leases = store.claims().claim(new Claim(session.id(), race, 64)).leases();
            long began = System.nanoTime();
            store.leases()
                    .end(List.of(new Ending.Complete(leases.getFirst().fence(), Payload.EMPTY)))
                    .forEach(Answer::orThrow);
            nanos.add(System.nanoTime() - began);
            int skipped =
                    store.flows().describe(List.of(flow)).getFirst().orThrow().tally().skipped();
            if (skipped != RUNNERS - 1) {
                throw new IllegalStateException("%,d were called off.".formatted(skipped));
            }
        }
        return Times.of(nanos);
    }

    /** How one large flow was done, and as much plain work. */
    record Large(double submitSeconds, double flowPerSecond, double plainPerSecond) {}

    static Large large(Store store, int workers) throws InterruptedException {
        double plain = plain(store, workers);
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < LARGE; n++) {
            members.add(Member.of("m" + n, work("large", "")));
            if (n >= LARGE / ROWS) {
                edges.add(Edge.of("m" + (n - LARGE / ROWS), "m" + n));
            }
        }
        var flow = FlowSubmission.of("large").graph(members, edges);
        long began = System.nanoTime();
        store.flows().submit(flow);
        double submitted = (System.nanoTime() - began) / SECOND;
        var rate = drained(store, "large", workers);
        awaitEnd(store, flow.id());
        return new Large(submitted, rate, plain);
    }

    private static double plain(Store store, int workers) throws InterruptedException {
        var all = Stream.generate(() -> work("plain", "")).limit(LARGE).toList();
        for (int from = 0; from < LARGE; from += 1000) {
            store.submissions().submit(all.subList(from, from + 1000)).forEach(Answer::orThrow);
        }
        return drained(store, "plain", workers);
    }

    private static double drained(Store store, String lane, int workers)
            throws InterruptedException {
        var left = new CountDownLatch(LARGE);
        long began = System.nanoTime();
        working(store, lane, workers, input -> left.countDown(), left::await);
        return LARGE * SECOND / (System.nanoTime() - began);
    }

    private interface Waited {
        void run() throws InterruptedException;
    }

    /** An engine and a worker of a lane, until something is over. */
    private static void working(
            Store store, String lane, int workers, Consumer<String> handler, Waited until)
            throws InterruptedException {
        var engine = new Engine(store);
        engine.start();
        var worker =
                Worker.on(engine)
                        .name(lane)
                        .lane(lane)
                        .concurrency(workers)
                        .handle(
                                "noop",
                                task -> {
                                    handler.accept(task.input().asText());
                                    return Payload.EMPTY;
                                })
                        .start();
        try {
            until.run();
        } finally {
            worker.stop();
            engine.stop();
        }
    }

    private static void awaitEnd(Store store, FlowId flow) {
        while (store.flows().describe(List.of(flow)).getFirst().orThrow().state()
                != FlowState.COMPLETED) {
            Time.SYSTEM.park(1_000_000);
        }
    }
}
