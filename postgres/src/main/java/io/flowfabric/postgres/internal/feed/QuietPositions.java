package io.flowfabric.postgres.internal.feed;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The positions of readers that have read everything, each with the glance of when they had: what
 * could be seen on which server. While a glance stays the same, there is nothing behind the
 * position, and the events need not be looked at.
 *
 * <p>A glance holds the whole snapshot, so a transaction that was in progress and has ended makes
 * it another one, whatever numbers its events have. Numbers of transactions may be given again
 * after a crash; the last checkpoint, which is part of the glance, is another one then.
 */
final class QuietPositions {
    /** More readers than wait for events of one process; those that asked last are remembered. */
    private static final int MOST = 256;

    private final Map<FeedPosition, String> glances =
            new LinkedHashMap<>(16, 0.75f, true) {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<FeedPosition, String> eldest) {
                    return size() > MOST;
                }
            };

    /** Remembers that nothing was behind a position at a glance. */
    synchronized void add(FeedPosition position, String glance) {
        glances.put(position, glance);
    }

    /** The glance at which nothing was behind a position, if that is known. */
    synchronized @Nullable String glance(FeedPosition position) {
        return glances.get(position);
    }
}
