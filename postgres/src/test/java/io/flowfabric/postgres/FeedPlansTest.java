package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

/** How feeds are run. */
class FeedPlansTest extends BacklogPlans {
    /** So many events share a few summaries, and as many have none yet. */
    private static final int LOOKED_AT = 5000;

    FeedPlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void a_feed_touches_what_it_delivers_however_long_the_log_is_and_however_much_was_missed() {
        var everything = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
        var feeds = store.feeds();
        var away = feeds.read(everything, Cursor.NOW, 1).next();
        backlog.submit(10 * LOOKED_AT, i -> Submission.of("work", Payload.EMPTY));
        // The first look of a process makes the summaries that are missing.
        feeds.read(everything, feeds.beginning(), 1);

        startLogging();
        var next = feeds.beginning();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(everything, next, BATCH);
            assertThat(batch.entries()).hasSize(BATCH);
            next = batch.next();
        }
        check("read_events", LOOKED_AT);

        startLogging();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(everything, away, BATCH);
            assertThat(batch.entries()).hasSize(BATCH);
            away = batch.next();
        }
        check("read_events", LOOKED_AT);

        startLogging();
        var tail = feeds.read(everything, Cursor.NOW, 1).next();
        backlog.submit(1, i -> Submission.of("work", Payload.EMPTY));
        assertThat(feeds.read(everything, tail, BATCH).entries()).hasSize(1);
        check("newest_transaction", LOOKED_AT);
        check("read_events", LOOKED_AT);
    }

    @Test
    void a_feed_reads_no_events_while_nothing_happens() {
        var everything = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
        var feeds = store.feeds();
        var tail = feeds.read(everything, Cursor.NOW, 1).next();
        tail = feeds.read(everything, tail, BATCH).next();

        startLogging();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(everything, tail, BATCH);
            assertThat(batch.entries()).isEmpty();
            tail = batch.next();
        }

        assertThat(plans("feed_events")).hasSize(3);
        assertThat(plans("dropped")).isEmpty();
        assertThat(plans("read_events"))
                .allSatisfy(plan -> assertThat(plan.text()).contains("never executed"));
    }
}
