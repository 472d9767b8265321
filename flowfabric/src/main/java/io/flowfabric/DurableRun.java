package io.flowfabric;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.policy.Due;
import io.flowfabric.worker.Task;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** One run of a handler, from its first line to its return or its next wait. */
final class DurableRun implements DurableTask {
    private static final String VERSION = StepLog.RESERVED + "version ";

    private final FlowFabric fabric;
    private final Task task;
    private final StepLog steps;
    private final TaskWaits waits;
    private final TaskStream stream;
    private final Compensations compensations;
    private final AtomicInteger reports = new AtomicInteger();

    DurableRun(FlowFabric fabric, Task task) {
        this.fabric = fabric;
        this.task = task;
        this.steps = new StepLog(task);
        this.waits = new TaskWaits(task, steps, fabric.engine());
        this.stream = new TaskStream(task, fabric.engine());
        this.compensations = new Compensations(task, steps);
    }

    /** The wait at which the handler was left, if it was; also when the handler has kept that. */
    @Nullable Unwinding unwinding() {
        return waits.unwinding();
    }

    Compensations compensations() {
        return compensations;
    }

    @Override
    public <T> T step(String name, Class<T> type, Callable<? extends @Nullable T> body)
            throws Exception {
        before(name);
        var known = steps.next(name);
        if (known.isPresent()) {
            return fabric.decode(known.get().content(), type);
        }
        StepLog.Body<@Nullable T, Exception> once = body::call;
        var value = steps.within(name, once);
        return fabric.decode(steps.record(name, fabric.codec().encode(value)).content(), type);
    }

    @Override
    public <T> T transaction(
            String name, Class<T> type, TransactionStep<? extends @Nullable T> body)
            throws Exception {
        before(name);
        var known = steps.next(name);
        var step =
                known.isPresent()
                        ? known.get()
                        : fabric.postgres()
                                .transaction(
                                        fence(),
                                        name,
                                        connection -> {
                                            StepLog.Body<@Nullable T, Exception> once =
                                                    () -> body.run(connection);
                                            return fabric.codec().encode(steps.within(name, once));
                                        });
        return fabric.decode(step.content(), type);
    }

    @Override
    public void sleep(String name, Duration length) {
        before(name);
        waits.sleep(name, Due.in(length));
    }

    @Override
    public void sleepUntil(String name, Instant moment) {
        before(name);
        waits.sleep(name, Due.at(moment));
    }

    @Override
    public <T> Optional<T> awaitSignal(String name, Class<T> type) {
        before(name);
        return waits.signal(name, Optional.empty()).map(content -> fabric.decode(content, type));
    }

    @Override
    public <T> Optional<T> awaitSignal(String name, Class<T> type, Duration timeout) {
        before(name);
        return waits.signal(name, Optional.of(timeout))
                .map(content -> fabric.decode(content, type));
    }

    @Override
    public Approval awaitApprovals(String name, int count, Duration timeout, Consumer<String> ask) {
        before(name);
        return waits.approvals(name, count, timeout, ask);
    }

    @Override
    public FlowHandle awaitChildren(String name, Flow children) {
        before(name);
        return new FlowHandle(
                fabric, waits.children(name, children.submission(fabric)).id(), false);
    }

    @Override
    public <T> Optional<T> upstream(String name, Class<T> type) {
        return task.upstream(name).map(content -> fabric.decode(content, type));
    }

    @Override
    public void compensate(String name, StepAction undo) {
        compensations.register(name, undo);
    }

    @Override
    public int version(String change, int current) {
        if (current < 1) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "version of " + change,
                    "%d is below 1; 0 is what work from before the change gets."
                            .formatted(current));
        }
        var name = VERSION + change;
        goesOn(name);
        var next = steps.peek();
        if (next.isPresent() && !next.get().name().equals(name)) {
            return 0;
        }
        var known = steps.next(name);
        return Integer.parseInt(
                known.orElseGet(() -> steps.record(name, Payload.text(Integer.toString(current))))
                        .content()
                        .asText());
    }

    /** Names that are ours are refused. */
    private void before(String name) {
        StepLog.refuseReserved(task, name);
        goesOn(name);
    }

    /** A run that was left at a wait, or can only undo, does nothing more. */
    private void goesOn(String name) {
        steps.check(name);
        var left = waits.unwinding();
        if (left != null) {
            throw left;
        }
        if (compensations.reached()) {
            throw new UndoOnly();
        }
    }

    /** Leaves a handler whose work has failed in an earlier run. */
    static final class UndoOnly extends Error {
        private static final long serialVersionUID = 1L;

        private UndoOnly() {
            super("The work has failed before; what it did is being undone.", null, false, false);
        }
    }

    @Override
    public BudgetView spend(String budget, String dimension, long amount) {
        var key =
                "%s/%d/%d"
                        .formatted(execution().uuid(), fence().epoch(), reports.incrementAndGet());
        return spend(budget, dimension, amount, key);
    }

    @Override
    public void log(String line) {
        stream.append("log", fabric.codec().encode(Payload.text(line)));
    }

    @Override
    public void stream(String type, @Nullable Object value) {
        stream.append(type, fabric.codec().encode(value));
    }

    @Override
    public Optional<String> traceparent() {
        return TraceParameter.of(task.input());
    }

    // What a task is without durable code.

    @Override
    public ExecutionId execution() {
        return task.execution();
    }

    @Override
    public String kind() {
        return task.kind();
    }

    @Override
    public Lane lane() {
        return task.lane();
    }

    @Override
    public Payload input() {
        return task.input();
    }

    @Override
    public Tags tags() {
        return task.tags();
    }

    @Override
    public int attempt() {
        return task.attempt();
    }

    @Override
    public Fence fence() {
        return task.fence();
    }

    @Override
    public Optional<Instant> deadline() {
        return task.deadline();
    }

    @Override
    public void progress(int percent, String message) {
        task.progress(percent, message);
    }

    @Override
    public BudgetView spend(String budget, String dimension, long amount, String key) {
        return task.spend(budget, dimension, amount, key);
    }

    @Override
    public List<Upstream> upstreams() {
        return task.upstreams();
    }

    @Override
    public List<Step> steps() {
        return task.steps();
    }

    /** A step as bytes: the same as {@link #step}, without a body. */
    @Override
    public Step checkpoint(String name, Payload content) {
        before(name);
        return steps.next(name).orElseGet(() -> steps.record(name, content));
    }

    @Override
    public Failure failure(Throwable thrown) {
        return task.failure(thrown);
    }

    @Override
    public boolean endsWork(Throwable thrown) {
        return task.endsWork(thrown);
    }

    @Override
    public boolean leaseLost() {
        return task.leaseLost();
    }

    @Override
    public boolean shuttingDown() {
        return task.shuttingDown();
    }

    @Override
    public String toString() {
        return Objects.toString(task);
    }
}
