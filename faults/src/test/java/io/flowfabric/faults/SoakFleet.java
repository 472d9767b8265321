package io.flowfabric.faults;

import io.flowfabric.testkit.fault.Witness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Predicate;

/**
 * The processes of a {@link Soak}: workers, each with an engine, and engines alone. The first one,
 * the veteran, is never killed nor frozen, so that it shows whether a process grows with time.
 */
final class SoakFleet implements AutoCloseable {
    static final Duration TTL = Duration.ofSeconds(2);
    static final int PLACES = 8;
    private static final int WORKERS = 3;

    private final StoreAddress way;
    private final Witness witness;
    private final List<SoakProcess> processes = new ArrayList<>();
    private int started;

    /**
     * @param way how its processes reach the server
     */
    SoakFleet(StoreAddress way, Witness witness) {
        this.way = way;
        this.witness = witness;
        start(SoakProgram.VETERAN, PLACES);
        for (int i = 0; i < WORKERS; i++) {
            startWorker();
        }
        startEngine();
        Waiting.until("the processes run", () -> ready() == processes.size());
    }

    private synchronized void startWorker() {
        start("worker-" + ++started, PLACES);
    }

    private synchronized void startEngine() {
        start("engine-" + ++started, 0);
    }

    private synchronized void start(String name, int places) {
        processes.add(new SoakProcess(way, name, TTL, places, SoakMix.LANES, witness));
    }

    synchronized SoakProcess veteran() {
        return processes.getFirst();
    }

    /** How many run by now. */
    synchronized int ready() {
        return (int) processes.stream().filter(SoakProcess::ready).count();
    }

    synchronized List<Long> pids() {
        return processes.stream().map(SoakProcess::pid).toList();
    }

    /** A worker that may be broken. */
    synchronized SoakProcess aWorker(Random random) {
        return one(random, SoakProcess::works);
    }

    /** An engine that may be broken. */
    synchronized SoakProcess anEngine(Random random) {
        return one(random, process -> !process.works());
    }

    private SoakProcess one(Random random, Predicate<SoakProcess> fits) {
        var fitting = processes.stream().skip(1).filter(fits).toList();
        var ready = fitting.stream().filter(SoakProcess::ready).toList();
        var choice = ready.isEmpty() ? fitting : ready;
        return choice.get(random.nextInt(choice.size()));
    }

    /** Kills one, and starts another in its place. */
    synchronized void replace(SoakProcess process) {
        process.kill();
        processes.remove(process);
        if (process.works()) {
            startWorker();
        } else {
            startEngine();
        }
    }

    /** Those that ended although nobody wanted them to. */
    synchronized List<String> missing() {
        return processes.stream().filter(one -> !one.lives()).map(SoakProcess::name).toList();
    }

    /** Lets all of them stop in their own time. */
    synchronized void end() {
        processes.forEach(SoakProcess::end);
    }

    @Override
    public synchronized void close() {
        processes.forEach(SoakProcess::close);
    }
}
