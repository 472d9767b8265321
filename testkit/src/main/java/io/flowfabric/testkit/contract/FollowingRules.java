package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Rule 17: a reader that follows a feed is told whether to read on or to wait. */
abstract class FollowingRules extends Rules {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);
    private static final Duration KEPT = Duration.ofDays(7);

    FollowingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void reading_on_while_there_is_more_leads_to_the_end() {
        var start = world.store().feeds().beginning();
        world.submit(10, Given::work);

        for (int max = 1; max <= 11; max++) {
            assertThat(readOn(EVERYTHING, start, max)).hasSize(10);
        }
    }

    @Test
    void much_that_does_not_fit_is_no_end() {
        var start = world.store().feeds().beginning();
        world.submit(10, Given::work);
        var lane = world.newLane();
        var wanted = world.submit(work().lane(lane));
        world.submit(10, Given::work);

        for (int max = 1; max <= 5; max++) {
            assertThat(readOn(EVERYTHING.lane(lane), start, max))
                    .extracting(event -> ((Event.Step) event).execution())
                    .containsExactly(wanted);
        }
    }

    @Test
    void at_the_end_there_is_no_more() {
        world.submit(3, Given::work);
        var feeds = world.store().feeds();

        assertThat(feeds.read(EVERYTHING, feeds.beginning(), 4).more()).isFalse();
        var now = feeds.read(EVERYTHING, Cursor.NOW, 4);
        assertThat(now.more()).isFalse();
        assertThat(feeds.read(EVERYTHING, now.next(), 4).more()).isFalse();
    }

    @Test
    void what_was_left_in_the_middle_is_followed_by_what_happened_since() {
        var start = world.store().feeds().beginning();
        var before = world.submit(3, Given::work);
        var helping = world.store().feeds().read(EVERYTHING, start, 2);
        var since = world.submit(3, Given::work);

        assertThat(helping.more()).isTrue();
        var rest = readOn(EVERYTHING, helping.next(), 2);

        assertThat(rest).hasSize(before.size() + since.size() - 2);
    }

    @Test
    void a_log_of_which_nothing_is_kept_is_followed_from_now_on() {
        world.submit(3, Given::work);
        var feeds = world.store().feeds();
        world.pass(KEPT.plusDays(1));
        assertThat(feeds.read(EVERYTHING, feeds.beginning(), 10).entries()).isEmpty();

        var now = feeds.read(EVERYTHING, Cursor.NOW, 10).next();
        assertThat(feeds.read(EVERYTHING, now, 10).more()).isFalse();
        var later = world.submit();

        assertThat(readOn(EVERYTHING, now, 10))
                .extracting(event -> ((Event.Step) event).execution())
                .containsExactly(later);
    }

    private List<Event> readOn(FeedFilter filter, Cursor from, int max) {
        var events = new ArrayList<Event>();
        Feeds.Batch batch;
        var cursor = from;
        do {
            batch = world.store().feeds().read(filter, cursor, max);
            batch.entries().forEach(entry -> events.add(entry.event()));
            cursor = batch.next();
        } while (batch.more());
        return events;
    }
}
