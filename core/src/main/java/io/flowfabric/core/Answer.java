package io.flowfabric.core;

import java.util.function.Function;

/** What a store says about one item of a batch. */
public sealed interface Answer<T> {
    /** It was done, now or by an earlier call of which this is a repeat. */
    record Done<T>(T value) implements Answer<T> {}

    /** It was refused, and nothing was changed. */
    record Refused<T>(FlowFabricException error) implements Answer<T> {}

    /** The answer to an item that was done. */
    static <T> Answer<T> done(T value) {
        return new Done<>(value);
    }

    /** The answer to an item that was refused. */
    static <T> Answer<T> refused(FlowFabricException error) {
        return new Refused<>(error);
    }

    /** The value, or the refusal thrown. */
    default T orThrow() {
        return switch (this) {
            case Done<T>(T value) -> value;
            case Refused<T>(FlowFabricException error) -> throw error;
        };
    }

    /** Whether the item was done. */
    default boolean isDone() {
        return this instanceof Done;
    }

    /** This answer with its value changed; a refusal stays as it is. */
    default <R> Answer<R> map(Function<? super T, ? extends R> change) {
        return switch (this) {
            case Done<T>(T value) -> done(change.apply(value));
            case Refused<T>(FlowFabricException error) -> refused(error);
        };
    }
}
