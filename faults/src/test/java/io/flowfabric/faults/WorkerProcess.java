package io.flowfabric.faults;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.fault.Witness;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A worker in a process of its own, seen from the test. */
final class WorkerProcess implements AutoCloseable {
    private final Child child;

    private WorkerProcess(Child child) {
        this.child = child;
    }

    /**
     * Starts one, and does not wait for it.
     *
     * @param workers how many workers it runs, each with a session of its own
     */
    static WorkerProcess start(
            StoreAddress address,
            String name,
            Duration ttl,
            int concurrency,
            int workers,
            Witness witness) {
        var words = new ArrayList<>(address.words());
        words.addAll(
                List.of(
                        name,
                        FaultScenario.LANE.name(),
                        Long.toString(ttl.toMillis()),
                        Integer.toString(concurrency),
                        Integer.toString(workers)));
        return new WorkerProcess(
                Child.start(
                        WorkerProgram.class,
                        List.of("-Xmx128m"),
                        words,
                        address.password(),
                        line -> note(line, witness)));
    }

    private static void note(String line, Witness witness) {
        var words = line.split(" ", 3);
        if (words[0].equals("ended")) {
            witness.heardOf(
                    new Ending.Complete(Fence.parse(words[1]), Payload.text(words[2])),
                    new Ended(Transition.COMPLETE, Optional.empty()));
        }
    }

    WorkerProcess awaitReady() {
        Waiting.until("the worker process runs", () -> child.said().contains("ready"));
        return this;
    }

    /** The leases that handlers which hold on have begun with. */
    List<Fence> begun() {
        return heard("begun").map(words -> Fence.parse(words[1])).toList();
    }

    /** What handlers tried by themselves after they had held on, and how it was answered. */
    List<String> tried() {
        return heard("tried").map(words -> words[2] + " " + words[3]).toList();
    }

    private Stream<String[]> heard(String word) {
        return child.said().stream()
                .map(line -> line.split(" "))
                .filter(words -> words[0].equals(word));
    }

    void go() {
        child.tell(WorkerProgram.GO);
    }

    void write() {
        child.tell(WorkerProgram.WRITE);
    }

    void kill() {
        child.kill();
    }

    void freeze() {
        child.freeze();
    }

    void thaw() {
        child.thaw();
    }

    /** Lets it stop in its own time; it may have been killed before. */
    void end() {
        child.end();
    }

    @Override
    public void close() {
        child.close();
    }
}
