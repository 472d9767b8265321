package io.flowfabric.cli.dev;

import io.flowfabric.engine.Engine;
import io.flowfabric.worker.Worker;
import io.flowfabric.worker.WorkerBuilder;

import java.time.Duration;
import java.util.Locale;

/** The demo workers: who they are, and what sets them apart. */
enum Profile {
    A(24),
    /** The one that is killed. */
    B(12),
    /** The only one with a gpu, and the only one at the desk. */
    C(8);

    static final String GPU = "gpu";

    /** A lane with one worker, so that the order in which it is served can be seen. */
    static final String DESK = "desk";

    /** Short, so that nobody has to wait long for a take-over; thirty seconds would be usual. */
    static final Duration TTL = Duration.ofSeconds(3);

    private static final Duration GRACE = Duration.ofSeconds(1);

    private final int concurrency;

    Profile(int concurrency) {
        this.concurrency = concurrency;
    }

    /** The name of the worker, as the store knows it. */
    String worker() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The worker on an engine, not yet started. */
    WorkerBuilder on(Engine engine) {
        var worker =
                Worker.on(engine)
                        .name(worker())
                        .lane("default")
                        .concurrency(concurrency)
                        .ttl(TTL)
                        .grace(GRACE);
        return Jobs.teach(this == C ? worker.lane(DESK).offers(GPU) : worker, engine.queries());
    }
}
