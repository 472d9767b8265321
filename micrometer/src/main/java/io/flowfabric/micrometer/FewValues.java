package io.flowfabric.micrometer;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The values of a label that users choose. The first ones are kept, and whatever comes after them
 * is one value more: a registry keeps every value for ever.
 */
final class FewValues {
    static final int MOST = 200;
    static final String OTHER = "other";

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    String of(String value) {
        if (known.contains(value)) {
            return value;
        }
        synchronized (this) {
            if (known.size() < MOST) {
                known.add(value);
                return value;
            }
        }
        return OTHER;
    }
}
