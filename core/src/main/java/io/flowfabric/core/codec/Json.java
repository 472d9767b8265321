package io.flowfabric.core.codec;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * A JSON value (RFC 8259), as the codecs of this package read and write it.
 *
 * <p>Values are immutable. An object keeps its fields in order, those too that its reader does not
 * know: {@link JsonObject#with} changes one and leaves the rest, so that what a newer program added
 * survives a change made by an older one.
 */
public sealed interface Json {
    /** How deep arrays and objects may lie in each other. */
    int MAX_DEPTH = 64;

    /** How many characters a text may have. */
    int MAX_CHARS = 4 << 20;

    /**
     * How many characters a number may have: the effort to read one grows faster than its length.
     */
    int MAX_DIGITS = 1000;

    /**
     * Reads one value from its text.
     *
     * @throws IllegalArgumentException when the text is no JSON, is longer or deeper than allowed,
     *     or names a field of an object twice
     */
    static Json parse(String text) {
        return new JsonParser(text).parse();
    }

    /**
     * Reads one object from its text.
     *
     * @throws IllegalArgumentException when the text is no JSON, or another value than an object
     */
    static JsonObject parseObject(String text) {
        return parse(text).asObject();
    }

    /** A string. */
    static Json of(String value) {
        return new JsonString(value);
    }

    /** A whole number. */
    static Json of(long value) {
        return new JsonNumber(Long.toString(value));
    }

    /**
     * A number.
     *
     * @throws IllegalArgumentException for infinity and for what is not a number, which JSON has
     *     not
     */
    static Json of(double value) {
        if (!Double.isFinite(value)) {
            throw new IllegalArgumentException("JSON has no number " + value);
        }
        return new JsonNumber(Double.toString(value));
    }

    /** A truth value. */
    static Json of(boolean value) {
        return new JsonBoolean(value);
    }

    /** An array of strings. */
    static Json ofStrings(Collection<String> values) {
        return new JsonArray(values.stream().map(Json::of).toList());
    }

    /** An object. */
    record JsonObject(Map<String, Json> fields) implements Json {
        /** The object without fields. */
        public static final JsonObject EMPTY = new JsonObject(Map.of());

        /** An object with these fields, in their order. */
        public JsonObject {
            fields = Collections.unmodifiableMap(new LinkedHashMap<>(fields));
        }

        /** A field; nothing when it is missing or null. */
        public Optional<Json> get(String name) {
            return Optional.ofNullable(fields.get(name))
                    .filter(value -> !(value instanceof JsonNull));
        }

        /** A field, read; nothing when it is missing or null. */
        public <T> Optional<T> get(String name, Function<Json, T> reader) {
            return get(name).map(value -> read(name, value, reader));
        }

        /**
         * A field that must be there, read.
         *
         * @throws IllegalArgumentException when it is missing or null
         */
        public <T> T require(String name, Function<Json, T> reader) {
            var value =
                    get(name)
                            .orElseThrow(
                                    () ->
                                            new IllegalArgumentException(
                                                    "the field %s is missing".formatted(name)));
            return read(name, value, reader);
        }

        private static <T> T read(String name, Json value, Function<Json, T> reader) {
            try {
                return reader.apply(value);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "the field %s cannot be read: %s".formatted(name, e.getMessage()), e);
            }
        }

        /** This object with one field set, in its place where there was one, else at the end. */
        public JsonObject with(String name, Json value) {
            var changed = new LinkedHashMap<>(fields);
            changed.put(name, value);
            return new JsonObject(changed);
        }

        /** This object with one field set, or without it where there is no value for it. */
        public <T> JsonObject with(String name, Optional<T> value, Function<T, Json> writer) {
            return value.map(v -> with(name, writer.apply(v))).orElseGet(() -> without(name));
        }

        /** This object without one field. */
        public JsonObject without(String name) {
            var changed = new LinkedHashMap<>(fields);
            changed.remove(name);
            return new JsonObject(changed);
        }

        /** This object with all fields of another one set. */
        public JsonObject withAll(JsonObject other) {
            var changed = new LinkedHashMap<>(fields);
            changed.putAll(other.fields);
            return new JsonObject(changed);
        }

        @Override
        public JsonObject asObject() {
            return this;
        }

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /** An array. */
    record JsonArray(List<Json> items) implements Json {
        /** An array of these items. */
        public JsonArray {
            items = List.copyOf(items);
        }

        @Override
        public List<Json> asList() {
            return items;
        }

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /** A string. */
    record JsonString(String value) implements Json {
        @Override
        public String asString() {
            return value;
        }

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /**
     * A number.
     *
     * @param literal as it was written: a number that this program does not use is passed on as it
     *     came, with all its digits
     */
    record JsonNumber(String literal) implements Json {
        /** A number as it is written in JSON. */
        public JsonNumber {
            JsonParser.checkNumber(literal);
        }

        @Override
        public long asLong() {
            try {
                return new BigDecimal(literal).longValueExact();
            } catch (ArithmeticException e) {
                throw new IllegalArgumentException(literal + " is no whole number of 64 bits", e);
            }
        }

        @Override
        public double asDouble() {
            return Double.parseDouble(literal);
        }

        @Override
        public String toString() {
            return literal;
        }
    }

    /** A truth value. */
    record JsonBoolean(boolean value) implements Json {
        @Override
        public boolean asBoolean() {
            return value;
        }

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /** The absent value, written {@code null}. */
    record JsonNull() implements Json {
        /** The one that there is. */
        public static final JsonNull NULL = new JsonNull();

        @Override
        public String toString() {
            return JsonWriter.write(this);
        }
    }

    /**
     * The fields of an object.
     *
     * @throws IllegalArgumentException when it is another value, as in the methods below
     */
    default JsonObject asObject() {
        throw isNo("object");
    }

    /** The items of an array. */
    default List<Json> asList() {
        throw isNo("array");
    }

    /** The items of an array, read. */
    default <T> List<T> asList(Function<Json, T> reader) {
        var list = new ArrayList<T>();
        asList().forEach(item -> list.add(reader.apply(item)));
        return Collections.unmodifiableList(list);
    }

    /** The text of a string. */
    default String asString() {
        throw isNo("string");
    }

    /** A whole number. */
    default long asLong() {
        throw isNo("number");
    }

    /** A whole number of 32 bits. */
    default int asInt() {
        long value = asLong();
        if (value != (int) value) {
            throw new IllegalArgumentException(value + " is no whole number of 32 bits");
        }
        return (int) value;
    }

    /** A number. */
    default double asDouble() {
        throw isNo("number");
    }

    /** A truth value. */
    default boolean asBoolean() {
        throw isNo("boolean");
    }

    private IllegalArgumentException isNo(String wanted) {
        var text = toString();
        return new IllegalArgumentException(
                "this is no %s: %s"
                        .formatted(wanted, text.length() > 80 ? text.substring(0, 80) : text));
    }
}
