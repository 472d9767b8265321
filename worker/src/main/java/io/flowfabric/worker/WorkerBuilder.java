package io.flowfabric.worker;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.engine.Engine;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ThreadFactory;

/** Describes a worker: who it is, where it takes work from, and what it does with it. */
public final class WorkerBuilder {
    /** With what comes after it, less than the thirty seconds that orchestrators wait. */
    private static final Duration DEFAULT_GRACE = Duration.ofSeconds(20);

    private final Engine engine;
    private final Map<String, Handler.WithResult> handlers = new HashMap<>();
    private final TreeSet<String> lanes = new TreeSet<>();
    private Namespace namespace = Namespace.DEFAULT;
    private String name = "worker";
    private String instance =
            ProcessHandle.current().pid() + "-" + UUID.randomUUID().toString().substring(0, 8);
    private Capabilities offers = Capabilities.NONE;
    private Duration ttl = Session.DEFAULT_TTL;
    private int concurrency = 16;
    private Duration grace = DEFAULT_GRACE;
    private @Nullable ThreadFactory threads;

    WorkerBuilder(Engine engine) {
        this.engine = engine;
    }

    /** The name of the worker, which outlives restarts. */
    public WorkerBuilder name(String other) {
        name = other;
        return this;
    }

    /** The name of this one process; made up from its number unless it is given. */
    public WorkerBuilder instance(String other) {
        instance = other;
        return this;
    }

    /** The tenant whose lanes it serves. */
    public WorkerBuilder namespace(Namespace other) {
        namespace = other;
        return this;
    }

    /** A lane to take work from, besides those named before; the default lane if none is named. */
    public WorkerBuilder lane(String other) {
        lanes.add(other);
        return this;
    }

    /**
     * What it is able to do, for work that needs more than a handler: words like {@code gpu} and
     * attributes like {@code torch=2.3.1}.
     *
     * @throws Invalid when one of them breaks the rules, or is a comparison
     */
    public WorkerBuilder offers(String... words) {
        offers = Capabilities.of(words).asOffer();
        return this;
    }

    /** How many handlers run at once. */
    public WorkerBuilder concurrency(int other) {
        Limit.BATCH.checkRange("concurrency", 1, other);
        concurrency = other;
        return this;
    }

    /**
     * How long the store waits for a sign of life before it gives the work to another worker. Signs
     * are sent six times as often, so it is a tenth of a second at least.
     */
    public WorkerBuilder ttl(Duration other) {
        ttl = other;
        return this;
    }

    /** How long handlers get to finish when the worker stops. */
    public WorkerBuilder grace(Duration other) {
        if (other.isNegative() || other.compareTo(Duration.ofDays(1)) > 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE, "grace", other + " is outside of 0 to 1 day.");
        }
        grace = other;
        return this;
    }

    /**
     * What handlers run on: a thread for each run of a handler. Virtual threads unless it is said;
     * they suit handlers that wait. Handlers that compute belong on platform threads, as from
     * {@code Thread.ofPlatform().factory()}: a virtual thread that computes keeps all others
     * waiting, though never the heartbeats of its worker.
     */
    public WorkerBuilder threads(ThreadFactory other) {
        threads = other;
        return this;
    }

    /** Handles a kind of work; what the handler returns is its result. */
    public WorkerBuilder handle(String kind, Handler handler) {
        return handleWithResult(
                kind,
                task -> {
                    var result = handler.handle(task);
                    return result == null ? null : TaskResult.complete(result);
                });
    }

    /** Handles a kind of work; what the handler returns says how it ends. */
    public WorkerBuilder handleWithResult(String kind, Handler.WithResult handler) {
        if (handlers.putIfAbsent(kind, handler) != null) {
            throw new IllegalStateException("There is a handler for " + kind + " already.");
        }
        return this;
    }

    /**
     * The worker, not yet started.
     *
     * @throws Invalid when a name breaks its rules, or the time to live is too short or too long
     */
    public Worker build() {
        if (handlers.isEmpty()) {
            throw new IllegalStateException("A worker without a handler has nothing to do.");
        }
        if (lanes.isEmpty()) {
            lanes.add("default");
        }
        var session =
                new Session(
                        SessionId.mint(),
                        namespace,
                        name,
                        instance,
                        lanes,
                        new TreeSet<>(handlers.keySet()),
                        offers,
                        ttl);
        var factory = threads == null ? virtual(name) : threads;
        return new Worker(engine, session, handlers, concurrency, factory, grace);
    }

    /**
     * One thread for each run. It is started by the one before, and must not inherit what that has
     * left behind; the class loader is that of the thread that made the worker.
     */
    private static ThreadFactory virtual(String name) {
        var loader = Thread.currentThread().getContextClassLoader();
        var plain =
                Thread.ofVirtual()
                        .name(name + "-", 0)
                        .inheritInheritableThreadLocals(false)
                        .factory();
        return task -> {
            var thread = plain.newThread(task);
            thread.setContextClassLoader(loader);
            return thread;
        };
    }

    /** The worker, running. */
    public Worker start() {
        var worker = build();
        worker.start();
        return worker;
    }
}
