package io.flowfabric.postgres.internal.catalog;

import java.util.List;
import java.util.stream.IntStream;

/**
 * What work behind a gate of a lane reserves. Claims rely on it: on nothing reserving less than the
 * smallest, and where the amounts do not vary, on everything reserving the same.
 *
 * @param smallest the smallest amount of each reservation, in the order of the gate
 * @param varies whether there was work that reserved something else
 */
public record ReservedAmounts(List<Long> smallest, boolean varies) {
    /** Those of one piece of work. */
    public static ReservedAmounts of(List<Long> reserve) {
        return new ReservedAmounts(reserve, false);
    }

    /** Those of both. */
    public ReservedAmounts and(ReservedAmounts other) {
        if (smallest.equals(other.smallest)) {
            return varies || !other.varies ? this : other;
        }
        var smaller =
                IntStream.range(0, smallest.size())
                        .mapToObj(
                                nth -> (Long) Math.min(smallest.get(nth), other.smallest.get(nth)))
                        .toList();
        return new ReservedAmounts(smaller, true);
    }
}
