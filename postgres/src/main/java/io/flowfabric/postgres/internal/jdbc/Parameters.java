package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.Types;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Collection;
import java.util.UUID;
import java.util.function.Function;

/**
 * The parameters of a {@link Query}, set by name.
 *
 * <p>A value and its null are of the same Postgres type, so that the server's prepared statement
 * serves both. A time is cut to the microseconds that Postgres keeps. Arrays are sent in binary
 * form.
 */
abstract sealed class Parameters permits Query {
    public Query set(String parameter, long value) {
        return put(parameter, (prepared, at) -> prepared.setLong(at, value));
    }

    public Query set(String parameter, int value) {
        return put(parameter, (prepared, at) -> prepared.setInt(at, value));
    }

    public Query set(String parameter, boolean value) {
        return put(parameter, (prepared, at) -> prepared.setBoolean(at, value));
    }

    public Query set(String parameter, double value) {
        return put(parameter, (prepared, at) -> prepared.setDouble(at, value));
    }

    public Query set(String parameter, @Nullable Long value) {
        return value == null ? setNull(parameter, "int8") : set(parameter, (long) value);
    }

    public Query set(String parameter, @Nullable Integer value) {
        return value == null ? setNull(parameter, "int4") : set(parameter, (int) value);
    }

    public Query set(String parameter, @Nullable Boolean value) {
        return value == null ? setNull(parameter, "bool") : set(parameter, (boolean) value);
    }

    public Query set(String parameter, @Nullable Double value) {
        return value == null ? setNull(parameter, "float8") : set(parameter, (double) value);
    }

    /** A text; an enum or json of the database needs a cast in the statement. */
    public Query set(String parameter, @Nullable String value) {
        return value == null
                ? setNull(parameter, "varchar")
                : put(parameter, (prepared, at) -> prepared.setString(at, value));
    }

    public Query set(String parameter, byte @Nullable [] value) {
        return value == null
                ? setNull(parameter, "bytea")
                : put(parameter, (prepared, at) -> prepared.setBytes(at, value));
    }

    public Query set(String parameter, @Nullable UUID value) {
        return value == null
                ? setNull(parameter, "uuid")
                : put(parameter, (prepared, at) -> prepared.setObject(at, value));
    }

    public Query set(String parameter, @Nullable Instant value) {
        if (value == null) {
            return setNull(parameter, "timestamptz");
        }
        var micros = value.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
        return put(parameter, (prepared, at) -> prepared.setObject(at, micros));
    }

    public Query set(String parameter, long[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, int[] values) {
        return setArray(parameter, values);
    }

    /** A {@code smallint[]}. */
    public Query set(String parameter, short[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, boolean[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, double[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, @Nullable Long[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, @Nullable Integer[] values) {
        return setArray(parameter, values);
    }

    /** A {@code smallint[]}. */
    public Query set(String parameter, @Nullable Short[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, @Nullable Boolean[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, @Nullable Double[] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, @Nullable String[] values) {
        return setArray(parameter, values);
    }

    /** A {@code bytea[]}. */
    public Query set(String parameter, byte[] @Nullable [] values) {
        return setArray(parameter, values);
    }

    public Query set(String parameter, @Nullable UUID[] values) {
        return put(parameter, BinaryArray.uuids(values));
    }

    public Query set(String parameter, @Nullable Instant[] values) {
        return put(parameter, BinaryArray.instants(values));
    }

    /** One column of a batch: what {@code column} makes of each item, as a {@code uuid[]}. */
    public <T> Query uuids(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable UUID> column) {
        return set(parameter, items.stream().map(column).toArray(UUID[]::new));
    }

    /** One column of a batch as a {@code bigint[]}. */
    public <T> Query longs(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable Long> column) {
        return set(parameter, items.stream().map(column).toArray(Long[]::new));
    }

    /** One column of a batch as an {@code integer[]}. */
    public <T> Query ints(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable Integer> column) {
        return set(parameter, items.stream().map(column).toArray(Integer[]::new));
    }

    /** One column of a batch as a {@code boolean[]}. */
    public <T> Query booleans(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable Boolean> column) {
        return set(parameter, items.stream().map(column).toArray(Boolean[]::new));
    }

    /** One column of a batch as a {@code double precision[]}. */
    public <T> Query doubles(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable Double> column) {
        return set(parameter, items.stream().map(column).toArray(Double[]::new));
    }

    /** One column of a batch as a {@code text[]}. */
    public <T> Query texts(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable String> column) {
        return set(parameter, items.stream().map(column).toArray(String[]::new));
    }

    /** One column of a batch as a {@code bytea[]}. */
    public <T> Query bytes(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, byte @Nullable []> column) {
        return set(parameter, items.stream().map(column).toArray(byte[][]::new));
    }

    /** One column of a batch as a {@code timestamptz[]}. */
    public <T> Query instants(
            String parameter,
            Collection<? extends T> items,
            Function<? super T, ? extends @Nullable Instant> column) {
        return set(parameter, items.stream().map(column).toArray(Instant[]::new));
    }

    /** Keeps the value for when the statement is run. */
    abstract Query put(String parameter, Binding binding);

    private Query setArray(String parameter, Object values) {
        return put(parameter, (prepared, at) -> prepared.setObject(at, values));
    }

    private Query setNull(String parameter, String type) {
        return put(parameter, (prepared, at) -> prepared.setNull(at, Types.OTHER, type));
    }
}
