package io.flowfabric.core.feed;

import io.flowfabric.core.Cursor;

import java.util.List;

/**
 * What happened, resumable, with nothing skipped: in exact order for each execution, and never an
 * event before what it could have observed. Only what an operator has erased is gone, for whoever
 * has not read it yet.
 */
public interface Feeds {
    /**
     * The next events that fit a filter.
     *
     * <p>{@link Cursor#NOW} means from this call on: the answer is empty and its cursor fixes the
     * moment. {@link Cursor#START} means from the {@linkplain #beginning() beginning}. Events that
     * do not fit move the cursor too. Refusals: {@code Invalid} with {@code malformed_cursor}; when
     * what came after the cursor is no longer kept, {@code cursor_expired}; when the log was
     * restored from a copy since, {@code cursor_restored}.
     */
    Batch read(FeedFilter filter, Cursor after, int max);

    /** The cursor before everything that is still kept. */
    Cursor beginning();

    /**
     * Some events and where to go on.
     *
     * @param more whether there may be more already: it ended because it was long enough. There may
     *     be more although there are no entries, when many did not fit, or when the store had to
     *     prepare a long log for reading; then the cursor may be the one before.
     */
    record Batch(List<Entry> entries, Cursor next, boolean more) {
        public Batch {
            entries = List.copyOf(entries);
        }
    }

    /** An event, and the cursor just behind it. */
    record Entry(Event event, Cursor cursor) {}
}
