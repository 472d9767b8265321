package io.flowfabric.core.codec;

import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonObject;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.function.Function;

/**
 * An object that is being written: a field that has its default value is left out, and a field that
 * this program does not know stays.
 */
final class Fields {
    private JsonObject json;

    /** Begins with what was written before; what it says of the fields written here is replaced. */
    Fields(JsonObject before) {
        json = before;
    }

    <T> Fields set(String name, Optional<T> value, Function<T, Json> writer) {
        json = json.with(name, value, writer);
        return this;
    }

    <T> Fields set(String name, T value, T otherwise, Function<T, Json> writer) {
        return set(name, Optional.of(value).filter(v -> !v.equals(otherwise)), writer);
    }

    Fields number(String name, long value, long otherwise) {
        return set(name, value, otherwise, Json::of);
    }

    Fields number(String name, Optional<? extends Number> value) {
        return set(name, value.map(Number::longValue), Json::of);
    }

    Fields text(String name, Optional<String> value) {
        return set(name, value, Json::of);
    }

    Fields millis(String name, Optional<Duration> value) {
        return set(name, value, Fields::millis);
    }

    <E extends Enum<E>> Fields word(String name, E value, E otherwise) {
        return set(name, value, otherwise, Words::of);
    }

    <T> Fields list(String name, Collection<T> values, Function<T, Json> writer) {
        var items = values.stream().map(writer).toList();
        return set(name, Optional.of(items).filter(list -> !list.isEmpty()), JsonArray::new);
    }

    JsonObject done() {
        return json;
    }

    // The other way.

    static Json millis(Duration duration) {
        return Json.of(duration.toMillis());
    }

    static Duration duration(Json millis) {
        return Duration.ofMillis(millis.asLong());
    }

    static <E extends Enum<E>> Function<Json, E> word(Class<E> type) {
        return json -> Words.read(type, json);
    }
}
