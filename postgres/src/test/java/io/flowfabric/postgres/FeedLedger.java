package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.postgres.internal.feed.FeedPosition;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a reader was told, whatever becomes of it, and the one thing that it finds again when it is
 * resumed: the cursor that it saved last.
 *
 * <p>A reader that dies between an event and the saving of its cursor gets the event once more; and
 * nothing else ever comes twice.
 */
final class FeedLedger {
    /** Told, and a cursor behind it was saved. */
    private final Map<Long, Event> kept = new LinkedHashMap<>();

    /** Told in this life, and no cursor behind it was saved. */
    private final Map<Long, Event> unsaved = new LinkedHashMap<>();

    /** Told in an earlier life in vain. */
    private final Set<Long> owed = new HashSet<>();

    private String saved;
    private int repeated;

    FeedLedger(Cursor start) {
        saved = start.text();
    }

    synchronized Cursor saved() {
        return new Cursor(saved);
    }

    synchronized void told(Feeds.Entry entry) {
        long id = FeedPosition.of(entry.cursor()).last();
        assertThat(kept).as("told behind a saved cursor").doesNotContainKey(id);
        assertThat(unsaved.put(id, entry.event())).as("told twice in one life: " + id).isNull();
        repeated += owed.remove(id) ? 1 : 0;
    }

    synchronized void save(Cursor cursor) {
        kept.putAll(unsaved);
        unsaved.clear();
        saved = cursor.text();
    }

    synchronized void died() {
        owed.addAll(unsaved.keySet());
        unsaved.clear();
    }

    synchronized boolean hasSaved(Collection<Long> ids) {
        return kept.keySet().containsAll(ids);
    }

    /** How many events came again after a death. */
    synchronized int repeated() {
        return repeated;
    }

    /** The numbers of all events, in the order in which they were told for good. */
    synchronized List<Long> ids() {
        assertThat(owed).as("told in vain, and never again").isEmpty();
        return List.copyOf(kept.keySet());
    }

    synchronized List<Event.Step> steps() {
        var steps = new ArrayList<Event.Step>();
        for (var event : kept.values()) {
            if (event instanceof Event.Step step) {
                steps.add(step);
            }
        }
        return steps;
    }
}
