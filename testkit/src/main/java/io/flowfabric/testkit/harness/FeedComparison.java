package io.flowfabric.testkit.harness;

import io.flowfabric.core.Partition;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.testkit.harness.Difference.Kind;

import java.util.ArrayList;
import java.util.List;

/** Compares what the feeds of both tell, and whether the one under test tells it the same twice. */
final class FeedComparison {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);

    private static final List<FeedFilter> FILTERS =
            List.of(
                    FeedFilter.of(Topic.LEASES),
                    FeedFilter.of(Topic.COMPLETIONS),
                    FeedFilter.of(Topic.OPERATIONS).namespace(Vocabulary.NAMESPACES.getFirst()),
                    EVERYTHING.lane(Vocabulary.LANES.getFirst()),
                    EVERYTHING.tag("colour", Vocabulary.COLOURS.getFirst()),
                    EVERYTHING.partition(Partition.of(Vocabulary.NAMESPACES.getFirst())));

    private static final int FEW = 7;
    private static final int MANY = 500;

    private final Feeds tested;
    private final Feeds model;
    private final FeedFollower actual;
    private final FeedFollower expected;
    private final List<Feeds.Entry> seen = new ArrayList<>();

    FeedComparison(StoreAndModel twins) {
        this.tested = twins.tested().feeds();
        this.actual = new FeedFollower(tested, EVERYTHING, tested.beginning(), MANY);
        this.model = twins.model().feeds();
        this.expected = new FeedFollower(model, EVERYTHING, model.beginning(), MANY);
    }

    /** What happened since the last time. */
    void compareNews() {
        var news = actual.news(0);
        seen.addAll(news);
        same("news", FeedFollower.events(expected.news(0)), FeedFollower.events(news));
    }

    /** Everything that the store under test has told. */
    List<Event> seen() {
        return FeedFollower.events(seen);
    }

    /** Whether it tells the same again: in small pieces, from the middle, through filters. */
    void compareReadings() {
        var all = seen();
        same("second reading", all, again(tested, EVERYTHING, FEW));
        if (!seen.isEmpty()) {
            int middle = seen.size() / 2;
            var rest = new FeedFollower(tested, EVERYTHING, seen.get(middle).cursor(), MANY);
            same(
                    "reading from the middle",
                    all.subList(middle + 1, all.size()),
                    FeedFollower.events(rest.news(0)));
        }
        for (FeedFilter filter : FILTERS) {
            // Also of executions that are gone, whose tags only the stores still know.
            same(
                    "reading through " + filter,
                    again(model, filter, MANY),
                    again(tested, filter, MANY));
        }
    }

    private List<Event> again(Feeds feeds, FeedFilter filter, int batch) {
        var follower = new FeedFollower(feeds, filter, feeds.beginning(), batch);
        return FeedFollower.events(follower.news(seen.size()));
    }

    private static void same(String what, List<Event> expected, List<Event> actual) {
        StoreAndModel.same(
                Kind.FEED, what, FeedFollower.bySubject(expected), FeedFollower.bySubject(actual));
    }
}
