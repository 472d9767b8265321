package io.flowfabric.testkit.harness;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads a feed from its beginning, a batch at a time, and remembers how far it has come. */
final class FeedFollower {
    private final Feeds feeds;
    private final FeedFilter filter;
    private final int batch;
    private Cursor cursor;

    FeedFollower(Feeds feeds, FeedFilter filter, Cursor from, int batch) {
        this.feeds = feeds;
        this.filter = filter;
        this.batch = batch;
        this.cursor = from;
    }

    /**
     * Everything that came since.
     *
     * @param patience how many empty answers in a row may come before the end: a store may have to
     *     pass over events that do not fit, at least one each time
     */
    List<Feeds.Entry> news(int patience) {
        var entries = new ArrayList<Feeds.Entry>();
        int empty = 0;
        while (empty <= patience) {
            var read = feeds.read(filter, cursor, batch);
            boolean stuck = read.next().equals(cursor) && !read.more();
            cursor = read.next();
            entries.addAll(read.entries());
            if (!read.entries().isEmpty()) {
                empty = 0;
            } else if (stuck) {
                return entries;
            } else {
                empty++;
            }
        }
        return entries;
    }

    static List<Event> events(List<Feeds.Entry> entries) {
        return entries.stream().map(Feeds.Entry::event).toList();
    }

    /**
     * The events by what they are about. Only among those is there an order that every store keeps.
     */
    static Map<Object, List<Event>> bySubject(List<Event> events) {
        var grouped = new LinkedHashMap<Object, List<Event>>();
        for (Event event : events) {
            Object subject =
                    switch (event) {
                        case Event.Step step -> step.execution();
                        case Event.StepRecorded recorded -> recorded.execution();
                        case Event.SignalReceived received -> received.execution();
                        case Event.WaitpointClosed closed -> closed.execution();
                        case Event.Renewal renewal -> renewal.owner().session();
                        case Event.LaneChange change -> change.lane();
                        case Event.NamespaceChange change -> change.namespace();
                        case Event.QuotaChange change -> List.of(change.namespace(), change.name());
                        case Event.BudgetChange change ->
                                List.of(change.namespace(), change.budget());
                        case Event.ScheduleChange change ->
                                List.of(change.namespace(), "schedule", change.schedule());
                        case Event.BudgetReached reached ->
                                List.of(reached.namespace(), reached.budget());
                        case Event.Drifted drifted -> List.of(drifted.namespace(), drifted.of());
                        case Event.Erased erased -> erased.execution();
                        case Event.MarkedDead marked -> marked.owner().session();
                        case Event.KeyRotation rotation -> "keys";
                        case Event.FlowChange change -> change.flow();
                    };
            grouped.computeIfAbsent(subject, key -> new ArrayList<>()).add(event);
        }
        return grouped;
    }
}
