package io.flowfabric.testkit.harness;

import io.flowfabric.core.FlowFabricException;

import java.util.Optional;
import java.util.function.Supplier;

/** What a whole call came to: a value, or a refusal that was thrown. */
sealed interface Reply<T> {
    record Value<T>(T value) implements Reply<T> {}

    record Refusal<T>(FlowFabricException error) implements Reply<T> {}

    static <T> Reply<T> of(Supplier<T> call) {
        try {
            return new Value<>(call.get());
        } catch (FlowFabricException refusal) {
            return new Refusal<>(refusal);
        }
    }

    default Optional<T> answered() {
        return switch (this) {
            case Value<T>(T value) -> Optional.of(value);
            case Refusal<T> refusal -> Optional.empty();
        };
    }
}
