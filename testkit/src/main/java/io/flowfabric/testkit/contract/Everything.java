package io.flowfabric.testkit.contract;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.contract.Event;
import io.flowfabric.core.contract.ExecutionView;
import io.flowfabric.core.contract.FeedFilter;
import io.flowfabric.core.contract.FeedFilter.Topic;
import io.flowfabric.core.contract.LaneView;
import io.flowfabric.core.contract.Search;
import io.flowfabric.core.contract.Store;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All that can be seen of a store from outside: a call that leaves no trace leaves this as it was. */
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
            executions.addAll(
                    World.pages(after -> store.queries().search(search, after, PAGE)));
            lanes.addAll(World.pages(after -> store.lanes().list(namespace, after, PAGE)));
            counts.putAll(store.queries().counts(namespace));
        }
        var feed = FeedReader.fromTheBeginning(store.feeds(), FeedFilter.of(Topic.EVERYTHING));
        return new Everything(executions, lanes, counts, feed.read());
    }
}
