package io.flowfabric.core.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Cuts what one call is given into parts for one message and one commit each, so that neither grows
 * with what the caller happens to have: by count, and by bytes.
 */
public final class Chunks {
    /** How many bytes a part has at most: enough for a quick commit, and little in any memory. */
    public static final long BYTES = 8L << 20;

    private Chunks() {}

    /**
     * Whether an item goes into a part that has some already. The first always does, so a part has
     * more than {@link #BYTES} only if its one item does.
     *
     * @param count how many items the part has
     * @param most how many it has at most
     * @param bytes how large they are together
     * @param size how large the next one is
     */
    public static boolean fits(int count, int most, long bytes, long size) {
        return count == 0 || (count < most && bytes + size <= BYTES);
    }

    /**
     * The items in their order, in parts.
     *
     * @param most how many items a part has at most
     * @param bytes how large an item is
     */
    public static <T> List<List<T>> of(List<T> items, int most, ToLongFunction<? super T> bytes) {
        var parts = new ArrayList<List<T>>();
        int from = 0;
        long sum = 0;
        for (int i = 0; i < items.size(); i++) {
            long size = bytes.applyAsLong(items.get(i));
            if (!fits(i - from, most, sum, size)) {
                parts.add(items.subList(from, i));
                from = i;
                sum = 0;
            }
            sum += size;
        }
        if (from < items.size()) {
            parts.add(items.subList(from, items.size()));
        }
        return parts;
    }
}
