package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What was forgotten or erased leaves nothing, and what is kept can be read. */
class ForgettingTest {
    private static final Attribution OLGA = new Attribution("olga", "she was asked to");
    private static final FeedFilter EVERYTHING = FeedFilter.of(Topic.EVERYTHING);
    private static final Duration DAY = Duration.ofDays(1);

    private final ValkeyFixture fixture = ValkeyFixture.onOneNode();
    private final Store store = fixture.store();
    private final Session session =
            Session.of("worker", "instance", "default").ttl(Duration.ofHours(1));

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void what_is_erased_leaves_nothing() {
        var lease = busy(work().key("order-7").tag("colour", "red").tag("size", "xl"));
        var id = lease.fence().execution();
        act(new OperatorCommand.Fail(id, Failure.of("broken", "beyond repair")));

        store.operations().erase(List.of(id), OLGA).getFirst().orThrow();

        for (var name : List.of("execution", "detail", "count", "standing", "tag", "ended")) {
            assertThat(fixture.size(Namespace.DEFAULT, name)).as(name).isZero();
        }
        assertThat(fixture.size(Namespace.DEFAULT, "history")).as("of its holder").isEqualTo(6);
        assertThat(told(EVERYTHING))
                .filteredOn(event -> !(event instanceof Event.Renewal))
                .containsExactly(new Event.Erased(id, Lane.DEFAULT, OLGA, fixture.now()));
    }

    @Test
    void what_is_forgotten_leaves_nothing_once_nothing_is_told_of_it() {
        var hour = Duration.ofHours(1);
        var lease = busy(work().policy(Policy.DEFAULT.retention(hour)).tag("colour", "red"));
        act(new OperatorCommand.Cancel(lease.fence().execution()));

        fixture.pass(hour);
        assertThat(fixture.size(Namespace.DEFAULT, "execution")).isZero();
        assertThat(told(EVERYTHING.tag("colour", "red"))).hasSize(103);
        assertThat(fixture.size(Namespace.DEFAULT, "told")).isOne();

        fixture.pass(DAY.multipliedBy(20));

        for (var name :
                List.of(
                        "execution",
                        "detail",
                        "count",
                        "standing",
                        "tag",
                        "forget",
                        "log",
                        "told")) {
            assertThat(fixture.size(Namespace.DEFAULT, name)).as(name).isZero();
        }
    }

    @Test
    void steps_that_are_cleared_or_forgotten_with_their_work_leave_nothing() {
        var hour = Duration.ofHours(1);
        var submission = work().policy(Policy.DEFAULT.retention(hour));
        var id = submission.id();
        store.sessions().open(session);
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
        record(claim(1), "pay", "send");
        act(new OperatorCommand.Cancel(id));
        long before = fixture.size(Namespace.DEFAULT, "detail");
        act(new OperatorCommand.Replay(id, true));
        assertThat(before - fixture.size(Namespace.DEFAULT, "detail"))
                .as("three fields of each step, and who ended it")
                .isEqualTo(7);
        record(claim(2), "send");
        act(new OperatorCommand.Cancel(id));

        fixture.pass(hour);
        fixture.pass(DAY.multipliedBy(20));

        for (var name : List.of("execution", "detail", "log", "told")) {
            assertThat(fixture.size(Namespace.DEFAULT, name)).as(name).isZero();
        }
    }

    @Test
    void streams_that_are_forgotten_or_erased_with_their_work_leave_nothing() {
        var hour = Duration.ofHours(1);
        store.sessions().open(session);
        var forgotten = streamed(work().policy(Policy.DEFAULT.retention(hour)), 1, 2500);
        var erased = streamed(work(), 3, 3);

        store.operations().erase(List.of(erased), OLGA).getFirst().orThrow();
        assertThat(fixture.size(Namespace.DEFAULT, "stream")).isEqualTo(2500 + 1 + 256);
        fixture.pass(hour);

        assertThat(store.queries().describe(List.of(forgotten)).getFirst().isDone()).isFalse();
        for (var name : List.of("execution", "frame", "stream")) {
            assertThat(fixture.size(Namespace.DEFAULT, name)).as(name).isZero();
        }
    }

    /** Work of two attempts that have said something, and that has ended. */
    private ExecutionId streamed(Submission submission, int claim, int frames) {
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
        var first = claim(claim).fence();
        var appends = new ArrayList<Append>();
        for (int n = 0; n < frames; n++) {
            appends.add(Append.durable(first, n, "said", Payload.EMPTY));
        }
        store.leases().append(appends).forEach(Answer::orThrow);
        act(new OperatorCommand.Cancel(submission.id()));
        act(new OperatorCommand.Replay(submission.id()));
        var second = claim(claim + 1).fence();
        appends.clear();
        for (int n = 0; n < Math.min(frames, 300); n++) {
            appends.add(Append.live(second, n, "shown", Payload.EMPTY));
        }
        appends.add(Append.durable(second, appends.size(), "said", Payload.EMPTY));
        store.leases().append(appends).forEach(Answer::orThrow);
        var patch = Append.summary(second, appends.size(), "sum", "{\"a\":1}");
        store.leases().append(List.of(patch)).getFirst().orThrow();
        act(new OperatorCommand.Cancel(submission.id()));
        return submission.id();
    }

    private Lease claim(int number) {
        return store.claims().claim(new Claim(session.id(), number, 1)).leases().getFirst();
    }

    private void record(Lease lease, String... names) {
        for (var name : names) {
            var checkpoint = new Checkpoint(lease.fence(), name, Payload.text("done"));
            store.leases().checkpoint(List.of(checkpoint)).getFirst().orThrow();
        }
    }

    @Test
    void a_history_is_whole_however_long_it_is() {
        var lease = busy(work());
        store.sessions().close(session.id());

        var history = store.queries().history(lease.fence().execution());

        assertThat(history).filteredOn(Event.Step.class::isInstance).hasSize(103);
        assertThat(history).filteredOn(Event.Renewal.class::isInstance).hasSize(100);
        assertThat(history).extracting(Event::at).isSorted();
        assertThat(told(EVERYTHING)).isEqualTo(history);
    }

    @Test
    void a_later_life_of_an_id_is_erased_with_the_earlier_ones() {
        var submission = work().policy(Policy.DEFAULT.retention(Duration.ZERO));
        submit(submission);
        act(new OperatorCommand.Cancel(submission.id()));
        fixture.tick();
        submit(submission);
        act(new OperatorCommand.Cancel(submission.id()));
        assertThat(told(EVERYTHING)).hasSize(4);

        store.operations().erase(List.of(submission.id()), OLGA).getFirst().orThrow();

        assertThat(told(EVERYTHING)).hasSize(1).allMatch(Event.Erased.class::isInstance);
        assertThat(fixture.size(Namespace.DEFAULT, "told")).isZero();
        assertThat(fixture.size(Namespace.DEFAULT, "detail")).isZero();
    }

    @Test
    void what_happened_in_several_namespaces_is_told_in_the_order_of_time() {
        var done = new ArrayList<ExecutionId>();
        for (int i = 0; i < 30; i++) {
            var lane = new Lane(new Namespace("tenant-" + i % 7), "lane");
            var id = ExecutionId.mint(lane.namespace());
            submit(work().id(id).lane(lane));
            done.add(id);
            fixture.advance(Duration.ofMillis(1));
        }

        for (int max : new int[] {1, 2, 7, 1000}) {
            assertThat(told(EVERYTHING, store.feeds().beginning(), max))
                    .extracting(event -> ((Event.Step) event).execution())
                    .isEqualTo(done);
        }
    }

    @Test
    void a_namespace_that_comes_later_is_told_of_from_its_first_event_on() {
        submit(work());
        var now = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();
        var elsewhere = new Namespace("elsewhere");
        assertThat(Partition.of(elsewhere)).isNotEqualTo(Partition.of(Namespace.DEFAULT));
        var id = ExecutionId.mint(elsewhere);
        submit(work().id(id).lane(new Lane(elsewhere, "lane")));

        assertThat(told(EVERYTHING, now, 10))
                .extracting(event -> ((Event.Step) event).execution())
                .containsExactly(id);
        fixture.pass(DAY.multipliedBy(9));
        assertThatThrownBy(() -> store.feeds().read(EVERYTHING, now, 10))
                .isInstanceOfSatisfying(
                        Invalid.class,
                        refusal ->
                                assertThat(refusal.code()).isEqualTo(Invalid.Code.CURSOR_EXPIRED));
    }

    @Test
    void a_cursor_that_is_ahead_of_the_log_says_that_it_was_lost() {
        submit(work());
        submit(work());
        var now = store.feeds().read(EVERYTHING, Cursor.NOW, 1).next();

        try (var other = ValkeyFixture.onOneNode()) {
            assertThatThrownBy(() -> other.store().feeds().read(EVERYTHING, now, 10))
                    .isInstanceOfSatisfying(
                            Invalid.class,
                            refusal ->
                                    assertThat(refusal.code())
                                            .isEqualTo(Invalid.Code.CURSOR_RESTORED));
        }
    }

    @Test
    void a_day_with_many_entries_is_dropped_in_portions_and_counts_as_one() {
        for (int i = 0; i < 4500; i++) {
            submit(work());
        }
        fixture.advance(DAY);
        submit(work());
        fixture.advance(DAY.multipliedBy(7));
        var round = store.maintenance().tick(Chore.RETENTION, 10);

        assertThat(round.processed()).isOne();
        assertThat(told(EVERYTHING)).hasSize(1);
    }

    private static Submission work() {
        return Submission.of("work", Payload.text("x".repeat(1000)));
    }

    private void submit(Submission submission) {
        store.submissions().submit(List.of(submission)).getFirst().orThrow();
    }

    private void act(OperatorCommand command) {
        store.operations().act(List.of(command), OLGA).getFirst().orThrow();
    }

    /** Work that has taken 102 steps, and whose holder has shown a hundred signs of life. */
    private Lease busy(Submission submission) {
        submit(submission);
        store.sessions().open(session);
        var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();
        store.leases().progress(List.of(new Progress(lease.fence(), 10, "on it")));
        for (int i = 1; i <= 100; i++) {
            fixture.advance(Duration.ofMillis(1));
            act(new OperatorCommand.Reprioritise(submission.id(), i));
            fixture.advance(Duration.ofMillis(1));
            store.sessions().heartbeat(List.of(Heartbeat.of(session.id()))).getFirst().orThrow();
        }
        return lease;
    }

    private List<Event> told(FeedFilter filter) {
        return told(filter, store.feeds().beginning(), 1000);
    }

    private List<Event> told(FeedFilter filter, Cursor from, int max) {
        var events = new ArrayList<Event>();
        var cursor = from;
        Feeds.Batch batch;
        do {
            batch = store.feeds().read(filter, cursor, max);
            batch.entries().forEach(entry -> events.add(entry.event()));
            cursor = batch.next();
        } while (batch.more());
        return events;
    }
}
