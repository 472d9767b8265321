package io.flowfabric.postgres.internal.catalog;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** What processes keep of small tables. */
final class Remembered {
    /**
     * More of them than this, and somebody makes up policies by the minute; then reading them again
     * is the lesser evil.
     */
    private static final int MOST = 100_000;

    private Remembered() {}

    static void trim(Set<?> remembered) {
        if (remembered.size() >= MOST) {
            remembered.clear();
        }
    }

    /** Those of some numbers that are known or were found just now. */
    static <T> Map<Integer, T> of(
            Collection<Integer> numbers, Map<Integer, T> known, Map<Integer, T> found) {
        var all = new LinkedHashMap<Integer, T>();
        for (Integer number : Set.copyOf(numbers)) {
            var value = found.getOrDefault(number, known.get(number));
            if (value != null) {
                all.put(number, value);
            }
        }
        return all;
    }
}
