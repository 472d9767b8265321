package io.flowfabric.core.codec;

import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonObject;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Optional;
import java.util.function.BiFunction;
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

    /**
     * An object inside this one. It is written onto what this field said before, so that the fields
     * in it that this program does not know stay.
     */
    <T> Fields object(
            String name, Optional<T> value, BiFunction<T, JsonObject, JsonObject> writer) {
        var before = object(json, name);
        return set(name, value, v -> writer.apply(v, before));
    }

    /**
     * A list of objects, each known by one of its fields. Each is written onto the one before that
     * it is known as, so that the fields in it that this program does not know stay.
     */
    <T> Fields objects(
            String name,
            String knownBy,
            Collection<T> values,
            BiFunction<T, JsonObject, JsonObject> writer) {
        var before = new HashMap<Json, JsonObject>();
        if (json.fields().get(name) instanceof JsonArray array) {
            for (Json item : array.items()) {
                if (item instanceof JsonObject object) {
                    object.get(knownBy).ifPresent(id -> before.put(id, object));
                }
            }
        }
        return list(
                name,
                values,
                value -> {
                    var id = writer.apply(value, JsonObject.EMPTY).require(knownBy, json -> json);
                    return writer.apply(value, before.getOrDefault(id, JsonObject.EMPTY));
                });
    }

    /** The object in a field; an empty one where the field is missing, or is something else. */
    static JsonObject object(JsonObject json, String name) {
        return json.fields().get(name) instanceof JsonObject object ? object : JsonObject.EMPTY;
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
