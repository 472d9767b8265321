package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.Cursor;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Numbers from zero up in as few bytes as they need: seven bits each, the lowest first. */
public final class VarInt {
    private static final int BITS = 7;
    private static final int MORE = 1 << BITS;
    private static final int LAST_SHIFT = 56;

    private VarInt() {}

    /** Writes numbers one behind the other. */
    public static final class Writer {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Writer write(long number) {
            long rest = number;
            while (rest >= MORE) {
                bytes.write((int) (rest % MORE) | MORE);
                rest >>>= BITS;
            }
            bytes.write((int) rest);
            return this;
        }

        byte[] bytes() {
            return bytes.toByteArray();
        }
    }

    /** The next number of a cursor; a cursor that has none, or a greater one, is not ours. */
    public static long read(ByteBuffer bytes) {
        long number = 0;
        for (int shift = 0; bytes.hasRemaining() && shift <= LAST_SHIFT; shift += BITS) {
            int next = bytes.get();
            number |= (long) (next & (MORE - 1)) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw Cursor.malformed();
    }

    /** A sum that no cursor of ours makes too large. */
    public static long sum(long one, long other) {
        if (one > Long.MAX_VALUE - other) {
            throw Cursor.malformed();
        }
        return one + other;
    }
}
