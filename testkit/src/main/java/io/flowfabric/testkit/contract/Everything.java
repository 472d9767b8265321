package io.flowfabric.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.store.Store;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * All that can be seen of a store from outside: a call that leaves no trace leaves this as it was.
 */
record Everything(
        List<ExecutionView> executions,
        List<LaneView> lanes,
        Map<Lane, Map<PublicState, Long>> counts,
        List<Event> events) {

    private static final int PAGE = 1000;

    static Everything in(Store store, Namespace... namespaces) {
        var executions = new ArrayList<ExecutionView>();
        var lanes = new ArrayList<LaneView>();
        var counts = new TreeMap<Lane, Map<PublicState, Long>>();
        for (Namespace namespace : namespaces) {
            var search = Search.in(namespace);
            executions.addAll(pages(after -> store.queries().search(search, after, PAGE)));
            lanes.addAll(pages(after -> store.lanes().list(namespace, after, PAGE)));
            counts.putAll(store.queries().counts(namespace));
        }
        var feed = FeedReader.fromTheBeginning(store.feeds(), FeedFilter.of(Topic.EVERYTHING));
        return new Everything(executions, lanes, counts, feed.read());
    }

    /** All pages of a listing. */
    static <T> List<T> pages(Function<Cursor, Page<T>> listing) {
        var items = new ArrayList<T>();
        var after = Cursor.START;
        while (!after.equals(Cursor.END)) {
            var page = listing.apply(after);
            items.addAll(page.items());
            assertThat(page.next()).as("a page leads on, or is the last").isNotEqualTo(after);
            after = page.next();
        }
        return items;
    }
}
