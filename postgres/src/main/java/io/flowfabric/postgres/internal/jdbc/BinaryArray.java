package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.Oid;
import org.postgresql.jdbc.PgArray;

import java.nio.ByteBuffer;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Arrays that the driver would send as text, in the binary form of the server.
 *
 * <p>The driver knows the binary form of arrays of numbers, booleans, texts and bytes, but not of
 * uuids and times, which are what a batch consists of.
 */
final class BinaryArray {
    private static final int HEADER_BYTES = 20;
    private static final int LENGTH_BYTES = Integer.BYTES;
    private static final int NULL_LENGTH = -1;

    /** 2000-01-01T00:00:00Z, from which the server counts microseconds. */
    private static final long EPOCH_SECONDS = 946_684_800L;

    private BinaryArray() {}

    static Binding uuids(@Nullable UUID[] values) {
        var bytes = encode(values, Oid.UUID, 2 * Long.BYTES, BinaryArray::put);
        return (statement, position) -> bind(statement, position, Oid.UUID_ARRAY, bytes);
    }

    static Binding instants(@Nullable Instant[] values) {
        var bytes = encode(values, Oid.TIMESTAMPTZ, Long.BYTES, BinaryArray::put);
        return (statement, position) -> bind(statement, position, Oid.TIMESTAMPTZ_ARRAY, bytes);
    }

    private static void bind(PreparedStatement statement, int position, int oid, byte[] bytes)
            throws SQLException {
        var connection = statement.getConnection().unwrap(BaseConnection.class);
        statement.setArray(position, new PgArray(connection, oid, bytes));
    }

    private static <T> byte[] encode(
            @Nullable T[] values, int element, int width, BiConsumer<ByteBuffer, T> put) {
        int present = 0;
        for (var value : values) {
            if (value != null) {
                present++;
            }
        }
        var buffer =
                ByteBuffer.allocate(HEADER_BYTES + values.length * LENGTH_BYTES + present * width);
        buffer.putInt(1); // dimensions
        buffer.putInt(present == values.length ? 0 : 1); // whether there are nulls
        buffer.putInt(element);
        buffer.putInt(values.length);
        buffer.putInt(1); // the index of the first element
        for (var value : values) {
            if (value == null) {
                buffer.putInt(NULL_LENGTH);
            } else {
                buffer.putInt(width);
                put.accept(buffer, value);
            }
        }
        return buffer.array();
    }

    private static void put(ByteBuffer buffer, UUID value) {
        buffer.putLong(value.getMostSignificantBits()).putLong(value.getLeastSignificantBits());
    }

    private static void put(ByteBuffer buffer, Instant value) {
        long seconds = Math.subtractExact(value.getEpochSecond(), EPOCH_SECONDS);
        buffer.putLong(
                Math.addExact(Math.multiplyExact(seconds, 1_000_000L), value.getNano() / 1000L));
    }
}
