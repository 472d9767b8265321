package io.flowfabric;

import io.flowfabric.core.Failure;
import io.flowfabric.worker.Worker;
import io.flowfabric.worker.WorkerBuilder;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;

/**
 * Describes a worker: what it is called, which kinds of work it does, and how.
 *
 * <pre>{@code
 * fabric.worker("mailer").concurrency(64).on(WELCOME, this::welcome).start();
 * }</pre>
 */
public final class FabricWorker {
    private static final String DEFAULT_LANE = "default";

    private final FlowFabric fabric;
    private final WorkerBuilder builder;
    private final List<Middleware> around = new ArrayList<>();
    private final Map<Class<? extends Throwable>, String> categories = new HashMap<>();
    private final TreeSet<String> lanesOfKinds = new TreeSet<>();
    private boolean lanesNamed;

    FabricWorker(FlowFabric fabric, WorkerBuilder builder) {
        this.fabric = fabric;
        this.builder = builder;
    }

    /**
     * A lane to take work from, besides those named before. When none is named, they are the lanes
     * of the kinds that it handles, and the default lane for kinds that are known by name alone.
     */
    public FabricWorker lane(String name) {
        lanesNamed = true;
        builder.lane(name);
        return this;
    }

    /** How many handlers run at once; 16 unless it is said. */
    public FabricWorker concurrency(int most) {
        builder.concurrency(most);
        return this;
    }

    /** What it is able to do, for work that needs more than a handler. */
    public FabricWorker offers(String... capabilities) {
        builder.offers(capabilities);
        return this;
    }

    /** What handlers run on, such as platform threads for those that compute. */
    public FabricWorker threads(ThreadFactory factory) {
        builder.threads(factory);
        return this;
    }

    /** How long handlers get to finish when the worker stops; 20 seconds unless it is said. */
    public FabricWorker grace(Duration length) {
        builder.grace(length);
        return this;
    }

    /**
     * How long the store waits for a sign of life before it gives the work to another worker; 30
     * seconds unless it is said.
     */
    public FabricWorker ttl(Duration length) {
        builder.ttl(length);
        return this;
    }

    /** Something around every run of every handler, inside of what was added before. */
    public FabricWorker around(Middleware middleware) {
        around.add(middleware);
        return this;
    }

    /** Exceptions of this class, and of those below it, are not retried. */
    public FabricWorker permanent(Class<? extends Throwable> thrown) {
        return failing(thrown, Failure.PERMANENT);
    }

    /**
     * Exceptions of this class, and of those below it, fail with a category, by which the retry
     * policy of the work decides. The nearest class counts.
     */
    public FabricWorker failing(Class<? extends Throwable> thrown, String category) {
        categories.put(thrown, Failure.of(category, "").category());
        return this;
    }

    /** Handles a kind of work. */
    public <I, O> FabricWorker on(Kind<I, O> kind, TaskHandler<? super I, ? extends O> handler) {
        lanesOfKinds.add(kind.lane());
        return add(kind.name(), kind.inputType(), handler::handle);
    }

    /** Handles a kind of work that has no result. */
    public <I> FabricWorker run(Kind<I, Void> kind, TaskHandler.WithoutResult<? super I> handler) {
        lanesOfKinds.add(kind.lane());
        return add(kind.name(), kind.inputType(), withoutResult(handler));
    }

    /** Handles work that was submitted by the name of its kind, {@link Work#of}. */
    public <I> FabricWorker on(String kind, Class<I> inputType, TaskHandler<? super I, ?> handler) {
        lanesOfKinds.add(DEFAULT_LANE);
        return add(kind, inputType, handler::handle);
    }

    /** Handles work without a result that was submitted by the name of its kind. */
    public <I> FabricWorker run(
            String kind, Class<I> inputType, TaskHandler.WithoutResult<? super I> handler) {
        lanesOfKinds.add(DEFAULT_LANE);
        return add(kind, inputType, withoutResult(handler));
    }

    /**
     * Handles the kinds of all methods of an object that are annotated with {@link Handles}.
     *
     * @throws IllegalArgumentException when there is none, or one that is no handler
     */
    public FabricWorker handlers(Object object) {
        lanesOfKinds.add(DEFAULT_LANE);
        AnnotatedHandlers.of(object)
                .forEach(handler -> add(handler.kind(), handler.inputType(), handler));
        return this;
    }

    private static <I> TaskHandler<I, Object> withoutResult(
            TaskHandler.WithoutResult<? super I> handler) {
        return new TaskHandler<>() {
            @Override
            public @Nullable Object handle(DurableTask task, I input) throws Exception {
                handler.handle(task, input);
                return null;
            }
        };
    }

    private <I> FabricWorker add(String kind, Class<I> inputType, TaskHandler<I, ?> handler) {
        builder.handleWithResult(
                kind, new DurableHandler<>(fabric, inputType, handler, around, categories));
        return this;
    }

    /** The worker, running. It stops when it is stopped, or with the fabric. */
    public Worker start() {
        if (!lanesNamed) {
            lanesOfKinds.forEach(builder::lane);
        }
        return builder.start();
    }
}
