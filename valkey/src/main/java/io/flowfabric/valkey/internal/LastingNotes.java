package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowFabricException;

import java.time.Duration;
import java.util.Map;

/**
 * What this process has noted at the servers, so that it is not noted with every call. Servers may
 * lose the last that they were told when one takes the place of another: notes are made again after
 * a while, and when there was a connection to be made again.
 */
final class LastingNotes<K> {
    private static final Duration LASTS = Duration.ofMinutes(1);

    /** When a note could not be made again, which is no reason to do nothing. */
    private static final Duration RETRY = Duration.ofSeconds(5);

    private static final int MOST = 1 << 16;

    private final Map<K, Note> notes = LatelyUsed.ofMost(MOST);
    private volatile long doubted = System.nanoTime();

    private record Note(long made, Duration lasts) {
        boolean holds(long doubted, long now) {
            return made - doubted > 0 && now - made < lasts.toNanos();
        }
    }

    /**
     * Makes a note unless it was made lately.
     *
     * @param first makes it, or fails
     * @param again makes it again
     */
    void make(K key, Runnable first, Runnable again) {
        long now = System.nanoTime();
        var known = notes.get(key);
        if (known == null) {
            first.run();
            notes.put(key, new Note(now, LASTS));
        } else if (!known.holds(doubted, now)) {
            notes.put(key, new Note(now, madeAgain(again) ? LASTS : RETRY));
        }
    }

    private static boolean madeAgain(Runnable again) {
        try {
            again.run();
            return true;
        } catch (FlowFabricException away) {
            return false;
        }
    }

    /** All notes are made again before they are relied on. */
    void doubt() {
        doubted = System.nanoTime();
    }
}
