package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.flowfabric.core.Contended;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Follower.State;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.event.Level;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

class FollowerTest {
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);
    private static final Lane LETTERS = Lane.of("letters");
    private static final Lane PARCELS = Lane.of("parcels");
    private static final Duration LONG = Duration.ofHours(1);

    private final ManualTime time = new ManualTime();
    private final AtomicInteger reads = new AtomicInteger();
    private volatile @Nullable RuntimeException trouble;
    private final Store store =
            HookedStore.over(
                    new MemoryStore(time),
                    (name, call) -> {
                        if (name.equals("read")) {
                            reads.incrementAndGet();
                            var now = trouble;
                            if (now != null) {
                                throw now;
                            }
                        }
                        return call.call();
                    });
    private final Engine engine =
            new Engine(store, EngineOptions.DEFAULT, EngineMetrics.NONE, time);
    private final ExecutorService readers = Executors.newVirtualThreadPerTaskExecutor();

    @AfterEach
    void stop() {
        engine.stop();
        readers.shutdownNow();
    }

    @Test
    void without_a_cursor_it_begins_at_the_call() throws Exception {
        submit(3);
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var later = submit(2);

        assertThat(handedOut(follower, 2)).isEqualTo(later);
        assertNothingMore(follower);
    }

    @Test
    void nothing_is_lost_between_the_call_and_the_first_event() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var saved = follower.position();
        follower.stop();
        var meanwhile = submit(2);

        assertThat(handedOut(engine.follow(EVERYTHING, saved), 2)).isEqualTo(meanwhile);
    }

    @Test
    void it_goes_on_from_the_cursor_of_any_event() throws Exception {
        var ids = submit(5);
        var all = engine.follow(EVERYTHING, store.feeds().beginning());
        for (int i = 0; i < 5; i++) {
            var entry = all.next(LONG).orElseThrow();

            var rest = engine.follow(EVERYTHING, entry.cursor());

            assertThat(handedOut(rest, 4 - i)).isEqualTo(ids.subList(i + 1, 5));
        }
    }

    @Test
    void a_cursor_that_leads_nowhere_is_refused_at_the_call() {
        var listing = Cursor.at(Cursor.Purpose.LISTING, new byte[8]);
        var old = store.feeds().beginning();
        submit(1);
        dropAll();

        assertRefused(Invalid.Code.MALFORMED_CURSOR, () -> engine.follow(EVERYTHING, listing));
        assertRefused(Invalid.Code.CURSOR_EXPIRED, () -> engine.follow(EVERYTHING, old));
    }

    @Test
    void who_waits_gets_the_event_when_it_happens() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var waiting = waiting(follower);
        time.pass(Duration.ofMinutes(1));
        assertThat(waiting.isDone()).isFalse();

        var ids = submit(1);
        time.pass(Duration.ofMillis(500));

        assertThat(idOf(waiting.get().orElseThrow())).isEqualTo(ids.getFirst());
    }

    @Test
    void who_has_waited_long_enough_gets_nothing() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var waiting = readers.submit(() -> follower.next(Duration.ofSeconds(3)));

        eventually(time, "the wait is over", waiting::isDone);

        assertThat(waiting.get()).isEmpty();
        assertThat(time.nanos()).isBetween(3_000_000_000L, 4_000_000_000L);
    }

    @Test
    void an_idle_one_looks_twice_a_second() {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var waiting = waiting(follower);
        time.pass(Duration.ofSeconds(5));
        int before = reads.get();

        time.pass(Duration.ofMinutes(1));

        assertThat(reads.get() - before).isBetween(100, 121);
        assertThat(waiting.isDone()).isFalse();
    }

    @Test
    void who_is_slow_reads_slowly() throws Exception {
        submit(3 * Follower.HELPING);
        var follower = engine.follow(EVERYTHING, store.feeds().beginning());

        for (int helping = 1; helping <= 3; helping++) {
            handedOut(follower, Follower.HELPING);

            // No further than to what was asked for.
            assertThat(reads).hasValue(helping);
        }
        assertNothingMore(follower);
    }

    @Test
    void what_does_not_fit_is_passed_over_and_moves_the_position() throws Exception {
        var follower = engine.follow(EVERYTHING.lane(LETTERS), Cursor.NOW);
        var start = follower.position();
        submit(10, PARCELS);

        assertNothingMore(follower);

        assertThat(follower.position()).isNotEqualTo(start);
        var rest = engine.follow(EVERYTHING, follower.position());
        assertNothingMore(rest);
    }

    @Test
    void the_position_is_behind_what_was_handed_out_and_before_what_was_not() throws Exception {
        var ids = submit(3);
        var follower = engine.follow(EVERYTHING, store.feeds().beginning());

        for (int i = 0; i <= 3; i++) {
            var rest = engine.follow(EVERYTHING, follower.position());
            assertThat(handedOut(rest, 3 - i)).isEqualTo(ids.subList(i, 3));
            assertNothingMore(rest);
            follower.next(Duration.ZERO);
        }
    }

    @Test
    void who_has_no_patience_gets_one_look_however_much_does_not_fit() throws Exception {
        var endless = new AtomicInteger();
        Feeds feeds =
                new Feeds() {
                    @Override
                    public Batch read(FeedFilter filter, Cursor after, int max) {
                        endless.incrementAndGet();
                        return new Batch(List.of(), after, true);
                    }

                    @Override
                    public Cursor beginning() {
                        return Cursor.at(Cursor.Purpose.FEED, new byte[0]);
                    }
                };
        var follower = Follower.of(feeds, EVERYTHING, feeds.beginning());

        assertThat(follower.next(Duration.ZERO)).isEmpty();

        assertThat(endless).hasValue(2);
        follower.stop();
    }

    static Stream<FlowFabricException> passing() {
        return Stream.of(
                new StoreFailure("The connection broke.", true, new IllegalStateException()),
                new Contended("The log", Duration.ofMillis(100)),
                new Unavailable("The login was refused."));
    }

    @ParameterizedTest
    @MethodSource("passing")
    void a_lost_connection_is_mended_and_shown(FlowFabricException loss) throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var began = time.instant();
        assertThat(follower.status())
                .isEqualTo(new Follower.Status(State.FOLLOWING, began, Optional.empty()));
        var all = readers.submit(() -> take(follower, 4));
        var ids = new ArrayList<>(submit(2));
        time.pass(Duration.ofSeconds(1));

        trouble = loss;
        eventually(time, "it is noticed", () -> follower.status().state() != State.FOLLOWING);
        var lost = follower.status();
        ids.addAll(submit(2));
        int before = reads.get();
        time.pass(Duration.ofMinutes(1));

        assertThat(lost.state()).isEqualTo(State.RECONNECTING);
        assertThat(lost.why()).containsSame(loss);
        assertThat(follower.status()).isEqualTo(lost);
        assertThat(follower.running()).isTrue();
        assertThat(reads.get() - before).as("tries in a minute").isBetween(12, 25);

        trouble = null;
        eventually(time, "all are there", all::isDone);
        assertThat(all.get()).isEqualTo(ids);
        assertThat(follower.status().state()).isEqualTo(State.FOLLOWING);
        assertThat(follower.status().why()).isEmpty();
        assertThat(follower.status().since()).isAfter(lost.since());
    }

    // R38
    @Test
    void an_outage_of_the_feed_is_one_warning_and_every_read_that_failed_is_counted()
            throws Exception {
        var tally = new Tally();
        var log = new LogBook();
        var follower = new Follower(store.feeds(), EVERYTHING, Cursor.NOW, tally, time, log);
        follower.start();
        for (int outage = 1; outage <= 2; outage++) {
            trouble = new StoreFailure("It broke.", true, new IllegalStateException());
            look(follower, 3);
            trouble = null;
            look(follower, 2);
        }
        follower.stop();

        assertThat(tally.of("follow failed")).isEqualTo(6);
        assertThat(log.lines())
                .extracting(LogBook.Line::level)
                .containsExactly(
                        Level.WARN,
                        Level.DEBUG,
                        Level.DEBUG,
                        Level.INFO,
                        Level.WARN,
                        Level.DEBUG,
                        Level.DEBUG,
                        Level.INFO);
        assertThat(log.lines().getFirst().failure()).isInstanceOf(StoreFailure.class);
        assertThat(log.lines())
                .extracting(LogBook.Line::text)
                .startsWith(
                        "Reads of the feed of everything fail; they are repeated until they"
                                + " succeed.")
                .contains(
                        "Reads of the feed of everything succeed again, after 3 failures in PT3M.");
    }

    private void look(Follower follower, int times) throws InterruptedException {
        for (int i = 0; i < times; i++) {
            time.skip(Duration.ofMinutes(1));
            assertThat(follower.next(Duration.ZERO)).isEmpty();
        }
    }

    @Test
    void a_place_that_expires_while_it_follows_ends_it_with_that_refusal() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        submit(1);
        dropAll();
        // What is kept now is of another time.
        submit(1);

        assertRefused(Invalid.Code.CURSOR_EXPIRED, () -> follower.next(LONG));

        assertThat(follower.running()).isFalse();
        assertThat(follower.status().state()).isEqualTo(State.STOPPED);
        assertThat(follower.status().why()).containsInstanceOf(Invalid.class);
        int before = reads.get();
        assertRefused(Invalid.Code.CURSOR_EXPIRED, () -> follower.next(LONG));
        assertThat(reads).hasValue(before);
    }

    @Test
    void stopping_lets_whoever_waits_go_at_once() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var waiting = waiting(follower);

        follower.stop();
        follower.stop();

        assertThat(waiting.get()).isEmpty();
        assertThat(follower.next(LONG)).isEmpty();
        assertThat(follower.status().state()).isEqualTo(State.STOPPED);
        assertThat(follower.status().why()).isEmpty();
    }

    @Test
    void what_was_not_handed_out_before_it_stopped_never_is() throws Exception {
        var ids = submit(3);
        var follower = engine.follow(EVERYTHING, store.feeds().beginning());
        handedOut(follower, 1);

        follower.stop();

        assertThat(follower.next(Duration.ZERO)).isEmpty();
        var rest = engine.follow(EVERYTHING, follower.position());
        assertThat(handedOut(rest, 2)).isEqualTo(ids.subList(1, 3));
    }

    @Test
    void an_engine_that_stops_stops_its_followers() throws Exception {
        engine.start();
        var waiting = waiting(engine.follow(EVERYTHING, Cursor.NOW));

        engine.stop();

        assertThat(waiting.get()).isEmpty();
        assertThatExceptionOfType(Unavailable.class)
                .isThrownBy(() -> engine.follow(EVERYTHING, Cursor.NOW));
    }

    @Test
    void two_at_once_are_told_to_follow_apart() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var first = waiting(follower);

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> follower.next(Duration.ZERO))
                .withMessageContaining("make another one");

        assertThat(first.isDone()).isFalse();
    }

    @Test
    void an_interrupted_wait_ends_and_another_one_goes_on() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> follower.next(LONG));

        var ids = submit(1);
        time.pass(Duration.ofSeconds(1));
        assertThat(handedOut(follower, 1)).isEqualTo(ids);
    }

    @Test
    void a_mistake_of_the_store_is_told_and_misses_nothing() throws Exception {
        var follower = engine.follow(EVERYTHING, Cursor.NOW);
        var ids = submit(1);
        time.pass(Duration.ofSeconds(1));
        trouble = new IllegalStateException("a mistake");

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> follower.next(LONG))
                .withMessage("a mistake");

        trouble = null;
        assertThat(handedOut(follower, 1)).isEqualTo(ids);
    }

    /** Somebody who waits for the next event, and really does. */
    private Future<Optional<Feeds.Entry>> waiting(Follower follower) {
        var waiting =
                readers.submit(
                        () -> {
                            Thread.currentThread().setName("reader");
                            return follower.next(LONG);
                        });
        eventually("it waits", () -> time.waiting("reader") == 1);
        return waiting;
    }

    private List<ExecutionId> handedOut(Follower follower, int count) throws Exception {
        var taking = readers.submit(() -> take(follower, count));
        eventually(time, "they are handed out", taking::isDone);
        return taking.get();
    }

    private static List<ExecutionId> take(Follower follower, int count)
            throws InterruptedException {
        var ids = new ArrayList<ExecutionId>();
        for (int i = 0; i < count; i++) {
            ids.add(idOf(follower.next(LONG).orElseThrow()));
        }
        return ids;
    }

    /** Looks again, and finds nothing. */
    private void assertNothingMore(Follower follower) throws InterruptedException {
        time.pass(Duration.ofSeconds(1));
        int before = reads.get();
        assertThat(follower.next(Duration.ZERO)).isEmpty();
        assertThat(reads.get()).isGreaterThan(before);
    }

    private static ExecutionId idOf(Feeds.Entry entry) {
        return ((Event.Step) entry.event()).execution();
    }

    private List<ExecutionId> submit(int count) {
        return submit(count, LETTERS);
    }

    private List<ExecutionId> submit(int count, Lane lane) {
        var submissions =
                IntStream.range(0, count)
                        .mapToObj(i -> Submission.of("work", Payload.EMPTY).lane(lane))
                        .toList();
        return store.submissions().submit(submissions).stream()
                .map(answer -> answer.orThrow().id())
                .toList();
    }

    /** Lets so much time pass that nothing of before is kept. */
    private void dropAll() {
        for (int day = 0; day < 10; day++) {
            time.skip(Duration.ofDays(1));
            store.maintenance().tick(Chore.RETENTION, 1000);
        }
    }

    private static void assertRefused(Invalid.Code code, ThrowingCallable call) {
        assertThatExceptionOfType(Invalid.class)
                .isThrownBy(call)
                .matches(refusal -> refusal.code() == code);
    }
}
