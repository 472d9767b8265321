package io.flowfabric.valkey.internal;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A map of what was used lately: it never grows beyond a bound, and what it dropped is asked for
 * again.
 */
final class LatelyUsed<K, V> extends LinkedHashMap<K, V> {
    private static final long serialVersionUID = 1;

    private final int most;

    private LatelyUsed(int most) {
        super(16, 0.75f, true);
        this.most = most;
    }

    /** For several threads. */
    static <K, V> Map<K, V> ofMost(int most) {
        return Collections.synchronizedMap(new LatelyUsed<K, V>(most));
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
    }
}
