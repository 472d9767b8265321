package io.flowfabric.testkit.contract;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;

import java.util.ArrayList;
import java.util.List;

/** A reader that follows a feed, and remembers how far. */
final class FeedReader {
    private static final int PAGE = 1000;
    private static final int ENDLESS = 100_000;

    private final Feeds feeds;
    private final FeedFilter filter;
    private Cursor cursor;

    private FeedReader(Feeds feeds, FeedFilter filter, Cursor cursor) {
        this.feeds = feeds;
        this.filter = filter;
        this.cursor = cursor;
    }

    static FeedReader fromNow(Feeds feeds, FeedFilter filter) {
        return new FeedReader(feeds, filter, feeds.read(filter, Cursor.NOW, PAGE).next());
    }

    static FeedReader fromTheBeginning(Feeds feeds, FeedFilter filter) {
        return from(feeds, filter, feeds.beginning());
    }

    static FeedReader from(Feeds feeds, FeedFilter filter, Cursor cursor) {
        return new FeedReader(feeds, filter, cursor);
    }

    Cursor cursor() {
        return cursor;
    }

    /** What happened since the last time. */
    List<Event> read() {
        return readEntries(PAGE).stream().map(Feeds.Entry::event).toList();
    }

    /** The same, in helpings of at most so many. */
    List<Feeds.Entry> readEntries(int max) {
        var entries = new ArrayList<Feeds.Entry>();
        for (int helping = 0; helping < ENDLESS; helping++) {
            var batch = feeds.read(filter, cursor, max);
            entries.addAll(batch.entries());
            // Events that do not fit move the cursor too, so an empty helping is not yet the end.
            if (batch.entries().isEmpty() && batch.next().equals(cursor) && !batch.more()) {
                return entries;
            }
            cursor = batch.next();
        }
        throw new AssertionError("nothing happens any more, and the cursor still moves");
    }

    static List<Event.Step> steps(List<Event> events) {
        return events.stream()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .toList();
    }
}
