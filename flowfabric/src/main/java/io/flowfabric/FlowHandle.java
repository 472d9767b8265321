package io.flowfabric;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Outcome;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A flow that was submitted. */
public final class FlowHandle {
    private static final long SOONEST = TimeUnit.MILLISECONDS.toNanos(2);
    private static final long LATEST = TimeUnit.MILLISECONDS.toNanos(100);

    private final FlowFabric fabric;
    private final FlowId id;
    private final boolean created;

    FlowHandle(FlowFabric fabric, FlowId id, boolean created) {
        this.fabric = fabric;
        this.id = id;
        this.created = created;
    }

    /** By which it is known; the text of it can be stored and read again. */
    public FlowId id() {
        return id;
    }

    /** Whether the call that gave this handle created the flow, or found it by its key. */
    public boolean created() {
        return created;
    }

    /** How it is now. */
    public FlowView describe() {
        return fabric.engine().flows().describe(List.of(id)).getFirst().orThrow();
    }

    /** The flow as a Mermaid diagram. */
    public String diagram() {
        return fabric.engine().flows().diagram(id);
    }

    /**
     * Waits until it has ended.
     *
     * @return how it ended
     * @throws AwaitTimedOut when it has not ended in that time; the flow goes on
     */
    public FlowState await(Duration timeout) throws InterruptedException {
        long deadline = System.nanoTime() + timeout.toNanos();
        long pause = SOONEST;
        for (var state = describe().state(); ; state = describe().state()) {
            long left = deadline - System.nanoTime();
            if (state.ended()) {
                return state;
            }
            if (left <= 0) {
                throw new AwaitTimedOut(id, timeout, state.wire());
            }
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            LockSupport.parkNanos(Math.min(left, pause));
            pause = Math.min(2 * pause, LATEST);
        }
    }

    /**
     * The result of one of its tasks, which has ended; nothing when its handler returned nothing.
     *
     * @throws WorkFailed when it ended in another way than with success
     * @throws io.flowfabric.core.Conflict when it has not ended
     * @throws NotFound when it has no such task
     */
    public <T> Optional<T> result(String task, Class<T> type) {
        var execution = execution(task);
        Result result = fabric.engine().queries().results(List.of(execution)).getFirst().orThrow();
        if (result.outcome() != Outcome.SUCCESS) {
            throw new WorkFailed(execution, result);
        }
        return result.result().map(payload -> fabric.decode(payload, type));
    }

    /**
     * One of its tasks.
     *
     * @throws NotFound when it has no such task
     */
    public <T> WorkHandle<T> task(String name, Class<T> resultType) {
        return new WorkHandle<>(fabric, execution(name), false, resultType);
    }

    private ExecutionId execution(String task) {
        var after = Cursor.START;
        while (!after.equals(Cursor.END)) {
            var page = fabric.engine().flows().members(id, after, (int) Limit.PAGE.max());
            for (var member : page.items()) {
                if (member.name().equals(task)) {
                    return member.execution();
                }
            }
            after = page.next();
        }
        throw new NotFound("task", task + " of " + id);
    }

    /** Cancels all of it. */
    public void cancel(String reason) {
        fabric.engine()
                .flows()
                .cancel(
                        List.of(id),
                        FlowCancellation.Mode.ALL,
                        new Attribution(FlowFabric.ACTOR, reason))
                .getFirst()
                .orThrow();
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
