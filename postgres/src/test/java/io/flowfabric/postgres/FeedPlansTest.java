package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.Test;

import java.sql.SQLException;
import java.util.List;

/** How feeds are run. */
class FeedPlansTest extends BacklogPlans {
    /** So many events share a few summaries, and as many have none yet. */
    private static final int LOOKED_AT = 5000;

    /** So much that its summaries take more than one call to make. */
    private static final int MISSED = 75_000;

    private static final int PAGE = 1000;

    /**
     * What a page may look at, of more than ten thousand in the log: some ranges, all summaries.
     */
    private static final int PAGES = 1000;

    private static final FeedFilter EVERYTHING = FeedFilter.of(FeedFilter.Topic.EVERYTHING);

    FeedPlansTest(Backlog backlog) {
        super(backlog);
    }

    @Test
    void a_feed_touches_what_it_delivers_however_long_the_log_is_and_however_much_was_missed() {
        var feeds = store.feeds();
        var away = feeds.read(EVERYTHING, Cursor.NOW, 1).next();
        backlog.submit(10 * LOOKED_AT, i -> Submission.of("work", Payload.EMPTY));
        // The first look of a process makes the summaries that are missing.
        feeds.read(EVERYTHING, feeds.beginning(), 1);

        startLogging();
        var next = feeds.beginning();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(EVERYTHING, next, BATCH);
            assertThat(batch.entries()).hasSize(BATCH);
            next = batch.next();
        }
        check("read_events", LOOKED_AT);

        startLogging();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(EVERYTHING, away, BATCH);
            assertThat(batch.entries()).hasSize(BATCH);
            away = batch.next();
        }
        check("read_events", LOOKED_AT);

        startLogging();
        var tail = feeds.read(EVERYTHING, Cursor.NOW, 1).next();
        backlog.submit(1, i -> Submission.of("work", Payload.EMPTY));
        assertThat(feeds.read(EVERYTHING, tail, BATCH).entries()).hasSize(1);
        check("newest_transaction", LOOKED_AT);
        check("read_events", LOOKED_AT);
    }

    @Test
    void a_feed_reads_no_events_while_nothing_happens() {
        var feeds = store.feeds();
        var tail = feeds.read(EVERYTHING, Cursor.NOW, 1).next();
        tail = feeds.read(EVERYTHING, tail, BATCH).next();

        startLogging();
        for (int i = 0; i < 3; i++) {
            var batch = feeds.read(EVERYTHING, tail, BATCH);
            assertThat(batch.entries()).isEmpty();
            tail = batch.next();
        }

        assertThat(plans("feed_events")).hasSize(3);
        assertThat(plans("dropped")).isEmpty();
        assertThat(plans("read_events"))
                .allSatisfy(plan -> assertThat(plan.text()).contains("never executed"));
    }

    /**
     * R8: a reader that comes back finds a log of which nobody has made summaries. None of its
     * calls reads more than a piece of the log, and once there are summaries a page costs what is
     * on it; also where next to nothing fits its filter, and while an old transaction has ended
     * meanwhile.
     */
    @Test
    void a_reader_that_was_away_pays_for_the_page_and_not_for_what_it_missed() throws SQLException {
        var schema = TestPostgres.freshSchema();
        try (var beside = backlog.beside(schema)) {
            var feeds = beside.feeds();
            var rare = EVERYTHING.tag("colour", "red");
            beside.submissions().submit(List.of(Submission.of("work", Payload.EMPTY)));
            var away = feeds.read(EVERYTHING, Cursor.NOW, 1).next();
            for (int i = 0; i < 10; i++) {
                // Long rows, so that few of them are many pages.
                backlog.execute(
                        """
                        insert into %s.event_0 (kind, at, namespace, actor, reason, payload)
                        select 'namespace_changed', 1, 'shop', 'ada', repeat('x', 1000), '{"settings": {}}'
                        from generate_series(1, %d)
                        """
                                .formatted(schema, MISSED / 10));
            }
            var last = Submission.of("work", Payload.EMPTY).tag("colour", "red");
            beside.submissions().submit(List.of(last));

            startLogging();
            var batch = feeds.read(EVERYTHING, away, PAGE);
            int calls = 1;
            for (; batch.entries().isEmpty(); calls++) {
                assertThat(batch.more()).isTrue();
                assertThat(batch.next()).isEqualTo(away);
                assertThat(plans("read_events")).isEmpty();
                batch = feeds.read(EVERYTHING, batch.next(), PAGE);
            }
            assertThat(calls).isBetween(2, 5);
            for (int i = 0; i < 5; i++) {
                assertThat(batch.entries()).hasSize(PAGE);
                batch = feeds.read(EVERYTHING, batch.next(), PAGE);
            }
            checkPages(6);

            startLogging();
            batch = feeds.read(rare, away, PAGE);
            int pages = 1;
            for (; batch.entries().isEmpty(); pages++) {
                assertThat(batch.more()).isTrue();
                batch = feeds.read(rare, batch.next(), PAGE);
            }
            assertThat(batch.entries())
                    .extracting(entry -> ((Event.Step) entry.event()).execution())
                    .containsExactly(last.id());
            assertThat(pages).isBetween(MISSED / PAGE, MISSED / PAGE + 2);
            checkPages(pages);
        } finally {
            backlog.execute("drop schema %s cascade".formatted(schema));
        }
    }

    private void checkPages(int atLeast) {
        check("read_events", LOOKED_AT);
        assertThat(plans("read_events"))
                .hasSizeGreaterThanOrEqualTo(atLeast)
                .allSatisfy(plan -> assertThat(plan.pages()).as(plan.text()).isLessThan(PAGES));
        check("feed_events", LOOKED_AT);
    }
}
