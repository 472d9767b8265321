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

/** A {@link SoakProgram} in a process of its own, seen from the soak. */
final class SoakProcess implements AutoCloseable {
    private final String name;
    private final int places;
    private final Witness witness;
    private final Child child;
    private volatile boolean ready;
    private volatile double heap;

    /**
     * Starts one, and does not wait for it.
     *
     * @param places how much work it does at once; with none it is an engine without a worker
     */
    SoakProcess(
            StoreAddress way,
            String name,
            Duration ttl,
            int places,
            List<String> lanes,
            Witness witness) {
        this.name = name;
        this.places = places;
        this.witness = witness;
        var words = new ArrayList<>(way.words());
        words.addAll(List.of(name, Long.toString(ttl.toMillis()), Integer.toString(places)));
        words.addAll(lanes);
        this.child =
                Child.startTalkative(
                        SoakProgram.class, List.of("-Xmx96m"), words, way.password(), this::hear);
    }

    private void hear(String line) {
        if (line.equals("ready")) {
            ready = true;
        } else if (line.startsWith("heap ")) {
            heap = Double.parseDouble(line.substring("heap ".length()));
        } else if (line.startsWith("ended ")) {
            var words = line.split(" ", 3);
            witness.heardOf(
                    new Ending.Complete(Fence.parse(words[1]), Payload.text(words[2])),
                    new Ended(Transition.COMPLETE, Optional.empty()));
        }
    }

    String name() {
        return name;
    }

    /** Whether it takes work, or is an engine alone. */
    boolean works() {
        return places > 0;
    }

    boolean ready() {
        return ready;
    }

    /** What is reachable in it, in megabytes; nothing unless it is one that says so. */
    double heap() {
        return heap;
    }

    boolean lives() {
        return child.lives();
    }

    long pid() {
        return child.pid();
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

    /** Lets it stop in its own time. */
    int end() {
        return child.end();
    }

    @Override
    public void close() {
        child.close();
    }
}
