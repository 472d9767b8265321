package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.FeedReader.steps;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idIn;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.Collections.nCopies;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Rule 17: a feed can be left and joined again at any place, and misses nothing. */
abstract class FeedingRules extends Rules {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);
    private static final Duration KEPT = Duration.ofDays(7);

    FeedingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    @BatchAnswers({"P62", "W33"})
    void a_feed_covers_all_partitions() {
        var everywhere =
                IntStream.range(0, Partition.COUNT).mapToObj(i -> work().id(idIn(i))).toList();
        var feed = world.feed(FeedFilter.of(Topic.LEASES));
        world.store().submissions().submit(everywhere);
        var worker = world.worker();

        assertThat(worker.claim(256)).hasSize(256);

        assertThat(steps(feed.read()))
                .extracting(Event.Step::execution)
                .containsExactlyInAnyOrderElementsOf(
                        everywhere.stream().map(Submission::id).toList());
    }

    @Test
    void the_life_of_an_execution_is_told_in_order_and_in_full() {
        var feed = world.feed(EVERYTHING);
        var work = world.submit();
        var worker = world.worker();
        var first = worker.claimOne();
        world.advance(Duration.ofSeconds(1));
        world.end(retry(first, Duration.ofMinutes(1))).orThrow();
        world.pass(Duration.ofMinutes(1));
        world.end(complete(worker.claimOne())).orThrow();

        var told = steps(feed.read());

        assertThat(told).isEqualTo(world.steps(work));
        assertThat(told)
                .extracting(Event.Step::transition)
                .containsExactly(
                        Transition.SUBMIT,
                        Transition.CLAIM,
                        Transition.RETRY,
                        Transition.WAKE,
                        Transition.CLAIM,
                        Transition.COMPLETE);
        assertThat(told).extracting(Event.Step::attempts).containsExactly(0, 1, 1, 1, 2, 2);
        long once = world.epochs(work).getFirst();
        long twice = world.fence(work, 1, 2).epoch();
        assertThat(told)
                .extracting(Event.Step::epoch)
                .containsExactly(0L, once, once, once, twice, twice);
        assertThat(told)
                .extracting(Event.Step::now)
                .containsExactly(
                        Situation.READY,
                        Situation.RUNNING,
                        Situation.BACKING_OFF,
                        Situation.READY,
                        Situation.RUNNING,
                        Situation.COMPLETED);
        assertThat(told)
                .extracting(step -> step.owner().isPresent())
                .containsExactly(false, true, true, false, true, true);
        assertThat(told.get(1).owner()).contains(worker.owner());
        assertThat(told.get(2).until()).isEqualTo(Optional.of(told.get(3).at()));
    }

    @Test
    void what_was_done_later_is_told_later() {
        var feed = world.feed(EVERYTHING);
        var done = new ArrayList<ExecutionId>();
        for (int i = 0; i < 10; i++) {
            var lease = world.begun();
            world.end(complete(lease)).orThrow();
            done.addAll(nCopies(3, idOf(lease)));
        }

        assertThat(steps(feed.read())).extracting(Event.Step::execution).isEqualTo(done);
    }

    @Test
    @BatchAnswers("P63")
    void a_feed_goes_on_from_the_cursor_of_any_entry() {
        var reader = world.feed(FeedFilter.of(Topic.COMPLETIONS));
        for (int i = 0; i < 7; i++) {
            world.end(complete(world.begun())).orThrow();
        }
        var entries = reader.readEntries(1000);
        assertThat(entries).hasSize(7);

        for (int i = 0; i < entries.size(); i++) {
            var rest = from(FeedFilter.of(Topic.COMPLETIONS), entries.get(i).cursor()).read();
            assertThat(rest).isEqualTo(eventsOf(entries.subList(i + 1, entries.size())));
        }
    }

    @Test
    @BatchAnswers("P63")
    void a_feed_is_the_same_in_helpings_of_any_size() {
        var start = world.feed(EVERYTHING).cursor();
        for (int i = 0; i < 5; i++) {
            world.end(complete(world.begun())).orThrow();
        }
        var whole = from(EVERYTHING, start).read();
        assertThat(whole).hasSize(15);

        for (int max = 1; max <= 16; max++) {
            assertThat(eventsOf(from(EVERYTHING, start).readEntries(max))).isEqualTo(whole);
        }
    }

    @Test
    void a_helping_is_no_larger_than_was_asked_for() {
        var start = world.feed(EVERYTHING).cursor();
        world.submit(5, Given::work);

        assertThat(world.store().feeds().read(EVERYTHING, start, 3).entries()).hasSize(3);
    }

    @Test
    void reading_again_from_the_same_cursor_gives_the_same_again() {
        var start = world.feed(EVERYTHING).cursor();
        world.submit(5, Given::work);

        var first = world.store().feeds().read(EVERYTHING, start, 3);
        var again = world.store().feeds().read(EVERYTHING, start, 3);

        // Cursors may differ: what else the database does meanwhile is in them.
        assertThat(again.entries()).extracting(Feeds.Entry::event).hasSize(3);
        assertThat(again.entries())
                .extracting(Feeds.Entry::event)
                .isEqualTo(first.entries().stream().map(Feeds.Entry::event).toList());
        assertThat(again.more()).isEqualTo(first.more());
    }

    @Test
    void from_now_a_feed_has_what_happens_after_the_call() {
        world.submit();

        var now = world.store().feeds().read(EVERYTHING, Cursor.NOW, 10);
        var later = world.submit();

        assertThat(now.entries()).isEmpty();
        assertThat(steps(from(EVERYTHING, now.next()).read()))
                .extracting(Event.Step::execution)
                .containsExactly(later);
    }

    @Test
    void from_the_beginning_a_feed_has_all_that_is_kept() {
        var beginning = world.store().feeds().beginning();
        var works = world.submit(3, Given::work);

        assertThat(steps(from(EVERYTHING, beginning).read()))
                .extracting(Event.Step::execution)
                .containsExactlyInAnyOrderElementsOf(works);
        assertThat(steps(world.wholeFeed(EVERYTHING).read()))
                .extracting(Event.Step::execution)
                .containsExactlyInAnyOrderElementsOf(works);
        assertThat(steps(from(EVERYTHING, Cursor.START).read()))
                .extracting(Event.Step::execution)
                .containsExactlyInAnyOrderElementsOf(works);
    }

    @Test
    void a_cursor_that_is_no_place_in_a_feed_is_refused() {
        world.submit(2, Given::work);
        var search = Search.in(Namespace.DEFAULT);
        var listing = world.store().queries().search(search, Cursor.START, 1).next();
        var garbage = Cursor.at(Cursor.Purpose.FEED, "garbage".getBytes(StandardCharsets.UTF_8));

        for (var cursor : List.of(listing, garbage, Cursor.END)) {
            assertThat(asked(() -> world.store().feeds().read(EVERYTHING, cursor, 10)))
                    .isInvalid(Invalid.Code.MALFORMED_CURSOR);
        }
    }

    @Test
    void a_cursor_that_was_cut_or_altered_is_refused() {
        world.submit();
        var text = world.store().feeds().beginning().text();

        assertThat(asked(() -> new Cursor(text.substring(1))))
                .isInvalid(Invalid.Code.MALFORMED_CURSOR);
        assertThat(asked(() -> new Cursor("no cursor"))).isInvalid(Invalid.Code.MALFORMED_CURSOR);
    }

    @Test
    void a_cursor_older_than_what_is_kept_says_so() {
        var old = world.feed(EVERYTHING).cursor();
        world.submit();

        // A store may drop events by the day.
        world.pass(KEPT.plusDays(1));

        assertThat(asked(() -> world.store().feeds().read(EVERYTHING, old, 10)))
                .isInvalid(Invalid.Code.CURSOR_EXPIRED);
        assertThat(world.wholeFeed(EVERYTHING).read()).isEmpty();
    }

    @Test
    void events_are_kept_for_as_long_as_was_promised() {
        var old = world.feed(EVERYTHING);
        var work = world.submit();

        world.pass(KEPT.minusMillis(1));

        assertThat(steps(old.read())).extracting(Event.Step::execution).containsExactly(work);
    }

    @Test
    void a_cursor_behind_which_nothing_was_dropped_stays_good() {
        world.submit();
        var old = world.feed(EVERYTHING);
        world.pass(KEPT.multipliedBy(4));
        var work = world.submit();

        assertThat(steps(old.read())).extracting(Event.Step::execution).containsExactly(work);
    }

    @Test
    void the_size_of_a_helping_has_bounds() {
        var start = world.store().feeds().beginning();

        for (int max : new int[] {-1, 0, 1001}) {
            assertThat(asked(() -> world.store().feeds().read(EVERYTHING, start, max)))
                    .isInvalid(Invalid.Code.OUT_OF_RANGE);
        }
    }

    @Test
    void a_rest_that_was_read_to_the_end_is_empty_until_something_happens() {
        world.submit();
        var feed = world.wholeFeed(EVERYTHING);
        assertThat(feed.read()).hasSize(1);

        assertThat(feed.read()).isEmpty();
        var lease = world.worker().claimOne();

        assertThat(steps(feed.read()))
                .extracting(Event.Step::execution)
                .containsExactly(idOf(lease));
    }

    private FeedReader from(FeedFilter filter, Cursor cursor) {
        return FeedReader.from(world.store().feeds(), filter, cursor);
    }

    private static List<Event> eventsOf(List<Feeds.Entry> entries) {
        return entries.stream().map(Feeds.Entry::event).toList();
    }
}
