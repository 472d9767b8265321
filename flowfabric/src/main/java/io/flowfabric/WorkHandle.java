package io.flowfabric;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.Outcome;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeoutException;

/**
 * A piece of work that was submitted.
 *
 * @param <O> what its handler returns
 */
public final class WorkHandle<O> {
    private final FlowFabric fabric;
    private final ExecutionId id;
    private final boolean created;
    private final Class<O> resultType;

    WorkHandle(FlowFabric fabric, ExecutionId id, boolean created, Class<O> resultType) {
        this.fabric = fabric;
        this.id = id;
        this.created = created;
        this.resultType = resultType;
    }

    /** By which it is known; the text of it can be stored and read again. */
    public ExecutionId id() {
        return id;
    }

    /** Whether the call that gave this handle created the work, or found it by its id or key. */
    public boolean created() {
        return created;
    }

    /**
     * Waits until it has ended, and returns its result.
     *
     * @return null when its handler returned nothing
     * @throws WorkFailed when it ended in another way than with success
     * @throws AwaitTimedOut when it has not ended in that time; the work goes on
     */
    public O await(Duration timeout) throws InterruptedException {
        Result result;
        try {
            result = fabric.awaited().await(id, timeout);
        } catch (TimeoutException late) {
            throw new AwaitTimedOut(id, timeout, describe().state().publicState().wire());
        }
        if (result.outcome() != Outcome.SUCCESS) {
            throw new WorkFailed(id, result);
        }
        return fabric.decode(result.result().orElse(Payload.EMPTY), resultType);
    }

    /** How it is now. */
    public ExecutionView describe() {
        return fabric.engine().queries().describe(List.of(id)).getFirst().orThrow();
    }

    /** Why it is not running, if it is not. */
    public Explanation explain() {
        return fabric.explain(id);
    }

    /** Cancels it. Cancelling again is success; what has ended otherwise is a {@code Conflict}. */
    public void cancel(String reason) {
        fabric.cancel(id, reason);
    }

    /** Sends it a signal: what {@link DurableTask#awaitSignal} of this name waits for. */
    public void signal(String name, @Nullable Object value) {
        fabric.signal(id, name, value);
    }

    @Override
    public String toString() {
        return id.toString();
    }
}
