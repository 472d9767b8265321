package io.flowfabric;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.worker.Handler;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.TaskResult;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A typed handler as the worker runtime calls it: with bytes, waits and failures around it. */
final class DurableHandler<I, O> implements Handler.WithResult {
    private static final Logger LOG = LoggerFactory.getLogger(DurableHandler.class);

    private final FlowFabric fabric;
    private final Class<I> inputType;
    private final TaskHandler<I, O> handler;
    private final List<Middleware> around;
    private final Map<Class<? extends Throwable>, String> categories;

    DurableHandler(
            FlowFabric fabric,
            Class<I> inputType,
            TaskHandler<I, O> handler,
            List<Middleware> around,
            Map<Class<? extends Throwable>, String> categories) {
        this.fabric = fabric;
        this.inputType = inputType;
        this.handler = handler;
        this.around = around;
        this.categories = categories;
    }

    @Override
    public TaskResult handle(Task task) throws Exception {
        var run = new DurableRun(fabric, task);
        MDC.put("execution", task.execution().toString());
        MDC.put("kind", task.kind());
        MDC.put("attempt", Integer.toString(task.attempt()));
        try {
            return ended(run, task);
        } finally {
            MDC.remove("attempt");
            MDC.remove("kind");
            MDC.remove("execution");
        }
    }

    private TaskResult ended(DurableRun run, Task task) throws Exception {
        TaskResult result = null;
        Throwable thrown = null;
        try {
            result = complete(run(run));
        } catch (Throwable any) {
            thrown = any;
        }
        var wait = run.unwinding();
        if (wait != null) {
            if (!wait.equals(thrown)) {
                LOG.warn(
                        "The handler of {} has caught the Error by which a wait is left, and went"
                                + " on; what it did since is dropped.",
                        task.kind());
            }
            return wait.result();
        }
        if (run.compensations().begun()) {
            return undone(run, task, thrown);
        }
        return result != null ? result : failed(run, task, Objects.requireNonNull(thrown));
    }

    private TaskResult failed(DurableRun run, Task task, Throwable thrown) throws Exception {
        var failure = categorised(thrown);
        // A handler that misuses its steps is at fault, not the work: once it is corrected the work
        // can be replayed behind what it has done, so none of that is undone.
        if (run.compensations().any()
                && !(failure instanceof StepMisused)
                && !task.stopRequested()
                && task.endsWork(failure)) {
            return undone(run, task, failure);
        }
        throw onwards(failure);
    }

    /** What was thrown, as something that can be thrown on. */
    private static Exception onwards(Throwable thrown) {
        if (thrown instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        return switch (thrown) {
            case Exception exception -> exception;
            case Error error -> throw error;
            default -> new IllegalStateException(thrown);
        };
    }

    private @Nullable Object run(DurableRun run) throws Exception {
        Middleware.Inner inner = () -> handler.handle(run, fabric.decode(run.input(), inputType));
        for (var middleware : around.reversed()) {
            var next = inner;
            inner = () -> middleware.around(run, next);
        }
        return inner.run();
    }

    private TaskResult complete(@Nullable Object value) {
        var result = value == null ? Payload.EMPTY : fabric.codec().encode(value);
        // The store would refuse it when the handler is gone, and with it what it wants undone.
        Limit.RESULT_BYTES.checkSize("result", result.size(), "bytes");
        return TaskResult.complete(result);
    }

    /** Undoes what can be undone; then the work fails, or waits until the rest is tried again. */
    private static TaskResult undone(DurableRun run, Task task, @Nullable Throwable thrown)
            throws Exception {
        if (thrown != null && task.stopRequested()) {
            throw onwards(thrown);
        }
        // What interrupted the handler, if it was not told to stop, is over with its failure.
        Thread.interrupted();
        try {
            throw run.compensations().undo(thrown);
        } catch (Unwinding later) {
            return later.result();
        }
    }

    /** What was thrown, with the category that was declared for its class. */
    private Throwable categorised(Throwable thrown) {
        if (!(thrown instanceof TaskFailure)) {
            for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
                var category = categories.get(type);
                if (category != null) {
                    var message = thrown.getMessage();
                    return new TaskFailure(
                            category,
                            message == null ? thrown.getClass().getName() : message,
                            thrown);
                }
            }
        }
        return thrown;
    }
}
