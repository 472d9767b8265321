package io.flowfabric.core.decision;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Page;
import io.flowfabric.core.store.Chunks;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.ToLongFunction;

/** Pages of what an execution has in order, numbered from 1: its steps, its signals. */
public final class NumberedPages {
    private NumberedPages() {}

    /** How many are before the first one of a page. */
    public static int before(Cursor cursor) {
        if (cursor.equals(Cursor.START)) {
            return 0;
        }
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != Integer.BYTES) {
            throw Cursor.malformed();
        }
        int before = ByteBuffer.wrap(position).getInt();
        if (before < 0) {
            throw Cursor.malformed();
        }
        return before;
    }

    /**
     * A page, with no more bytes than a message should have.
     *
     * @param before how many are before the first one
     * @param found from there on, perhaps more than a page holds
     * @param max how many it may hold
     * @param more whether there are others behind those
     */
    public static <T> Page<T> page(
            int before, List<T> found, ToLongFunction<T> bytes, int max, boolean more) {
        int count = 0;
        long together = 0;
        for (T one : found) {
            long size = bytes.applyAsLong(one);
            if (!Chunks.fits(count, max, together, size)) {
                return new Page<>(found.subList(0, count), cursor(before + count));
            }
            count++;
            together += size;
        }
        return new Page<>(found, more ? cursor(before + count) : Cursor.END);
    }

    private static Cursor cursor(int before) {
        return Cursor.at(
                Cursor.Purpose.LISTING, ByteBuffer.allocate(Integer.BYTES).putInt(before).array());
    }
}
