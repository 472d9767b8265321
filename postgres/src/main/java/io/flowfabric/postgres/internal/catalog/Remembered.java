package io.flowfabric.postgres.internal.catalog;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

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

    /**
     * Those of some numbers that are known, and those that are found when the others are asked for:
     * whatever is forgotten meanwhile, because the server was started anew or too much is kept.
     *
     * @param ask reads those of some numbers that there are
     */
    static <T> Map<Integer, T> look(
            Collection<Integer> wanted,
            Map<Integer, T> known,
            Function<Set<Integer>, Map<Integer, T>> ask) {
        var all = new HashMap<Integer, T>();
        var missing = new HashSet<Integer>();
        for (Integer number : wanted) {
            var value = known.get(number);
            if (value == null) {
                missing.add(number);
            } else {
                all.put(number, value);
            }
        }
        if (!missing.isEmpty()) {
            var found = ask.apply(missing);
            trim(known.keySet());
            known.putAll(found);
            all.putAll(found);
        }
        return all;
    }
}
