package io.flowfabric;

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
        try {
            var value = run(run);
            if (run.unwinding() != null) {
                LOG.warn(
                        "The handler of {} has caught the Error by which a wait is left, and went"
                                + " on; what it did since is dropped.",
                        task.kind());
                return run.unwinding().result();
            }
            return run.compensations().reached() ? undone(run, task, null) : complete(value);
        } catch (Unwinding wait) {
            return wait.result();
        } catch (DurableRun.UndoOnly failedBefore) {
            return undone(run, task, failedBefore);
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            throw stopped;
        } catch (Throwable thrown) {
            var failure = categorised(thrown);
            if (run.compensations().any()
                    && !task.stopRequested()
                    && (run.compensations().reached() || task.endsWork(failure))) {
                return undone(run, task, failure);
            }
            throw failure;
        }
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
        return TaskResult.complete(value == null ? Payload.EMPTY : fabric.codec().encode(value));
    }

    /** Undoes what can be undone; then the work fails, or waits until the rest is tried again. */
    private static TaskResult undone(DurableRun run, Task task, @Nullable Throwable failure) {
        try {
            throw run.compensations()
                    .undo(
                            failure == null
                                    ? new IllegalStateException(
                                            "The work of %s has failed before.".formatted(task))
                                    : failure);
        } catch (Unwinding later) {
            return later.result();
        }
    }

    /** What was thrown, with the category that was declared for its class. */
    private Exception categorised(Throwable thrown) {
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
        return switch (thrown) {
            case Exception exception -> exception;
            case Error error -> throw error;
            default -> new IllegalStateException(thrown);
        };
    }
}
