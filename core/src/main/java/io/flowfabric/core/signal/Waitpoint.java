package io.flowfabric.core.signal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Objects;

/**
 * Where signals for an execution arrive.
 *
 * @param name unique in its execution, chosen by the worker that waits there
 */
public record Waitpoint(ExecutionId execution, String name) {
    public Waitpoint {
        Objects.requireNonNull(execution, "execution");
        Text.name("waitpoint", name, Limit.NAME_BYTES);
    }

    @Override
    public String toString() {
        return "%s of %s".formatted(name, execution);
    }
}
