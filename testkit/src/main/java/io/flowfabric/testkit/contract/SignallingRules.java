package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.UNTIL_APPROVED;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.suspend;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;
import static io.flowfabric.testkit.contract.Scenario.OLGA;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** What is sent to a waitpoint is kept, counted once, and listed. */
abstract class SignallingRules extends Rules {
    private static final Attribution ADA = new Attribution("ada", "looks good");
    private static final Duration MINUTE = Duration.ofMinutes(1);

    SignallingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private static Signal approved(Lease lease) {
        return Signal.of(new Waitpoint(idOf(lease), "boss"), "approved", Payload.text("go"), ADA);
    }

    @Test
    void what_was_sent_is_read_back_as_it_was() {
        var lease = world.suspended(UNTIL_APPROVED);
        var bytes = new byte[] {0, 1, -1, '{'};
        var signal =
                Signal.of(
                                new Waitpoint(idOf(lease), "boss"),
                                "ünder",
                                Payload.of(bytes, "x/y; v=\"1\""),
                                new Attribution("zoë", "weil's passt"))
                        .key("k/1");

        var delivery = world.send(signal).orThrow();

        assertThat(delivery.number()).isEqualTo(1);
        assertThat(delivery.at()).isEqualTo(world.now());
        var received = world.received(idOf(lease));
        assertThat(received).hasSize(1);
        assertThat(received.getFirst().signal()).isEqualTo(signal);
        assertThat(received.getFirst().delivery()).isEqualTo(delivery);
        assertThat(received.getFirst().signal().content().bytes()).isEqualTo(bytes);
    }

    @Test
    @BatchAnswers("P38")
    void the_same_key_again_counts_once_and_gives_the_first_answer() {
        var lease =
                world.suspended(
                        Suspension.until(
                                "two", Condition.atLeast(2, Condition.Distinct.SIGNALS, "boss")));
        var first = world.send(approved(lease).key("a")).orThrow();
        world.advance(MINUTE);

        assertThat(world.send(approved(lease).key("a"))).isDone(first);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        var last = world.send(approved(lease).key("b")).orThrow();
        assertThat(last.effect()).isEqualTo(Effect.RESUMED);
        assertThat(world.send(approved(lease).key("b"))).as("after it went on").isDone(last);
        world.end(complete(world.worker(lease.lane()).claimOne())).orThrow();
        assertThat(world.send(approved(lease).key("a"))).as("after its end").isDone(first);
        assertThat(world.received(idOf(lease))).hasSize(2);
    }

    @Test
    void the_same_key_with_other_content_is_a_conflict_and_changes_nothing() {
        var lease = world.begun();
        world.send(approved(lease).key("a")).orThrow();

        assertThat(
                        world.send(
                                Signal.of(
                                                new Waitpoint(idOf(lease), "boss"),
                                                "rejected",
                                                Payload.text("go"),
                                                ADA)
                                        .key("a")))
                .isConflict(Conflict.Code.SENT_DIFFERENTLY);
        assertThat(world.received(idOf(lease))).hasSize(1);
    }

    @Test
    void the_same_key_at_another_waitpoint_or_execution_is_another_signal() {
        var one = world.begun();
        var other = world.begun();

        world.send(approved(one).key("a")).orThrow();
        world.send(approved(other).key("a")).orThrow();
        world.send(
                        Signal.of(
                                        new Waitpoint(idOf(one), "elsewhere"),
                                        "approved",
                                        Payload.text("go"),
                                        ADA)
                                .key("a"))
                .orThrow();

        assertThat(world.received(idOf(one))).hasSize(2);
        assertThat(world.received(idOf(other))).hasSize(1);
    }

    @Test
    void who_approves_twice_has_approved_once_and_cannot_reject_any_more() {
        var lease = world.suspended(UNTIL_APPROVED);
        var at = new Waitpoint(idOf(lease), "boss");
        var first = world.send(Signal.approve(at, ADA)).orThrow();

        assertThat(world.send(Signal.approve(at, ADA))).isDone(first);
        assertThat(world.send(Signal.reject(at, ADA))).isConflict(Conflict.Code.SENT_DIFFERENTLY);
        assertThat(world.received(idOf(lease)).getFirst().signal().by()).isEqualTo(ADA);
    }

    @Test
    @BatchAnswers("P36")
    void nobody_is_told_anything_after_the_end() {
        var lease = world.begun();
        world.open(lease, "boss").orThrow();
        world.end(complete(lease)).orThrow();

        assertThat(world.send(approved(lease))).isConflict(Conflict.Code.ALREADY_FINISHED);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.COMPLETED);
        assertThat(world.store().signals().waitpoints(idOf(lease))).isEmpty();
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
        world.replay(idOf(lease));
        assertThat(world.store().signals().waitpoints(idOf(lease))).isEmpty();
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
    }

    @Test
    void a_signal_for_nobody_is_refused() {
        assertThat(world.send(Signal.of(new Waitpoint(unknown(), "x"), "x", Payload.EMPTY, ADA)))
                .isNotFound("execution");
    }

    @Test
    @BatchAnswers("P36")
    void a_signal_to_work_that_runs_changes_nothing_about_its_lease() {
        var lease = world.begun();
        world.send(approved(lease)).orThrow();

        assertThat(world.report(lease, 10)).isDone();
        assertThat(world.worker(lease.lane()).claim(1)).isEmpty();
        assertThat(world.end(complete(lease))).isDone();
    }

    @Test
    void signals_keep_their_numbers_and_order_over_pages() {
        var lease = world.begun();
        var signals =
                IntStream.range(0, 25)
                        .mapToObj(
                                n ->
                                        Signal.of(
                                                new Waitpoint(idOf(lease), "votes"),
                                                "vote-" + n,
                                                Payload.of(new byte[40_000], "x/y"),
                                                ADA))
                        .toList();
        world.store().signals().send(signals).forEach(answer -> answer.orThrow());

        var pages = new ArrayList<List<ReceivedSignal>>();
        var after = Cursor.START;
        while (!after.equals(Cursor.END)) {
            var page = world.store().signals().received(idOf(lease), after, 10);
            pages.add(page.items());
            after = page.next();
        }
        assertThat(pages).hasSizeGreaterThanOrEqualTo(3);
        assertThat(pages.stream().flatMap(List::stream).map(ReceivedSignal::signal).toList())
                .isEqualTo(signals);
        assertThat(
                        pages.stream()
                                .flatMap(List::stream)
                                .map(one -> one.delivery().number())
                                .toList())
                .isEqualTo(IntStream.rangeClosed(1, 25).mapToObj(Long::valueOf).toList());
    }

    @Test
    void several_signals_of_one_call_to_one_execution_are_taken_in_their_order() {
        var lease = world.suspended(UNTIL_APPROVED);

        var answers =
                world.store()
                        .signals()
                        .send(List.of(approved(lease), approved(lease), approved(lease)));

        assertThat(answers.get(0).orThrow().effect()).isEqualTo(Effect.RESUMED);
        assertThat(answers.get(1)).isConflict(Conflict.Code.WAITPOINT_CLOSED);
        assertThat(answers.get(2)).isConflict(Conflict.Code.WAITPOINT_CLOSED);
    }

    @Test
    void too_large_a_signal_is_refused() {
        var lease = world.begun();
        int max = (int) Limit.SIGNAL_BYTES.max();
        var at = new Waitpoint(idOf(lease), "x");

        world.send(Signal.of(at, "x", Payload.of(new byte[max], "x/y"), ADA)).orThrow();
        assertThat(Given.asked(() -> Signal.of(at, "x", Payload.of(new byte[max + 1], "x/y"), ADA)))
                .isInvalid(Invalid.Code.TOO_LARGE);
    }

    @Test
    void the_engine_is_nobody_to_sign_with() {
        var lease = world.begun();

        assertThat(
                        Given.asked(
                                () ->
                                        world.send(
                                                Signal.of(
                                                        new Waitpoint(idOf(lease), "x"),
                                                        "x",
                                                        Payload.EMPTY,
                                                        Attribution.engine("no")))))
                .isInvalid(Invalid.Code.RESERVED);
    }

    @Test
    void the_feed_of_signals_tells_of_each_once() {
        var feed = world.feed(FeedFilter.of(Topic.SIGNALS));
        var lease = world.suspended(UNTIL_APPROVED);
        world.send(approved(lease).key("a")).orThrow();
        world.send(approved(lease).key("a")).orThrow();

        assertThat(feed.read())
                .containsExactly(
                        new Event.SignalReceived(
                                idOf(lease),
                                lease.lane(),
                                "boss",
                                "approved",
                                1,
                                Effect.RESUMED,
                                ADA,
                                world.now()));
        assertThat(world.store().queries().history(idOf(lease)))
                .anyMatch(event -> event instanceof Event.SignalReceived);
    }

    // Waitpoints.

    @Test
    void a_waitpoint_that_was_opened_is_listed_until_it_is_closed() {
        var lease = world.begun();
        var opened = world.open(lease, "boss").orThrow();

        assertThat(opened)
                .isEqualTo(
                        new WaitpointView(
                                new Waitpoint(idOf(lease), "boss"),
                                lease.lane(),
                                1,
                                world.now(),
                                Optional.empty(),
                                false,
                                0));
        assertThat(world.open(lease, "boss")).as("again").isDone(opened);
        assertThat(world.waitpoints(lease.lane(), 10)).containsExactly(opened);
        assertThat(world.store().signals().waitpoints(idOf(lease))).containsExactly(opened);

        world.close(opened.at()).orThrow();
        assertThat(world.close(opened.at())).as("closing again").isDone(opened.at());
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
        assertThat(world.send(approved(lease))).isConflict(Conflict.Code.WAITPOINT_CLOSED);
        assertThat(world.open(lease, "boss").orThrow().number()).isEqualTo(2);
    }

    @Test
    void a_stale_worker_opens_nothing() {
        var lease = world.begun();
        world.revoke(idOf(lease));

        assertThat(world.open(lease, "boss")).isLeaseLost();
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
    }

    @Test
    void a_waitpoint_closes_by_itself_when_its_time_is_over() {
        var lease = world.begun();
        world.open(new OpenWaitpoint(lease.fence(), "boss", Optional.of(MINUTE))).orThrow();
        world.advance(MINUTE);

        assertThat(world.send(approved(lease))).isConflict(Conflict.Code.WAITPOINT_CLOSED);
        assertThat(world.store().signals().waitpoints(idOf(lease))).isEmpty();
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
    }

    @Test
    @BatchAnswers("P40")
    void closing_keeps_what_has_arrived() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.send(lease, "other", "seen", "ada").orThrow();
        world.close(new Waitpoint(idOf(lease), "other")).orThrow();
        world.close(new Waitpoint(idOf(lease), "boss")).orThrow();

        assertThat(world.received(idOf(lease))).hasSize(1);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.SUSPENDED);
        world.resume(idOf(lease));
        assertThat(world.worker(lease.lane()).claim(1)).hasSize(1);
    }

    @Test
    void a_waitpoint_that_never_was_cannot_be_closed() {
        var lease = world.begun();

        assertThat(world.close(new Waitpoint(idOf(lease), "x"))).isNotFound("waitpoint");
        assertThat(world.close(new Waitpoint(unknown(), "x"))).isNotFound("execution");
    }

    @Test
    void an_operator_who_closes_is_named_in_the_feed() {
        var feed = world.feed(FeedFilter.of(Topic.OPERATIONS));
        var lease = world.begun();
        var at = world.open(lease, "boss").orThrow().at();
        world.close(at).orThrow();

        assertThat(feed.read())
                .containsExactly(
                        new Event.WaitpointClosed(
                                idOf(lease), lease.lane(), "boss", OLGA, world.now()));
    }

    @Test
    void the_waitpoints_of_a_lane_are_listed_the_oldest_first_over_pages() {
        var lane = world.newLane();
        world.submit(5, () -> work().lane(lane));
        var expected = new ArrayList<Waitpoint>();
        for (var lease : world.worker(lane).claim(5)) {
            world.end(suspend(lease, UNTIL_APPROVED)).orThrow();
            expected.add(new Waitpoint(idOf(lease), "boss"));
            world.advance(MINUTE);
        }
        var elsewhere = world.suspended(UNTIL_APPROVED);

        assertThat(world.waitpoints(lane, 2)).extracting(WaitpointView::at).isEqualTo(expected);
        assertThat(world.waitpoints(lane, 10)).allMatch(WaitpointView::awaited);
        assertThat(world.waitpoints(elsewhere.lane(), 2)).hasSize(1);
        assertThat(
                        world.store()
                                .signals()
                                .waitpoints(
                                        lane,
                                        Optional.of(world.now().minus(MINUTE.multipliedBy(3))),
                                        Cursor.START,
                                        10)
                                .items())
                .extracting(WaitpointView::at)
                .isEqualTo(expected.subList(0, 2));
    }

    @Test
    void what_is_forgotten_or_erased_takes_with_it_what_it_was_told_and_not_what_others_were() {
        for (boolean erased : new boolean[] {false, true}) {
            var submission = work(Policy.DEFAULT.retention(MINUTE)).lane(world.newLane());
            var gone = world.submit(submission);
            world.send(approved(world.worker(submission.lane()).claimOne())).orThrow();
            var other = world.suspended(UNTIL_APPROVED);
            world.send(other, "other", "x", "ada").orThrow();
            world.cancel(gone);

            if (erased) {
                world.store().operations().erase(List.of(gone), OLGA);
            } else {
                world.pass(MINUTE);
            }

            world.submit(submission);
            assertThat(world.received(gone)).isEmpty();
            assertThat(world.received(idOf(other))).hasSize(1);
            assertThat(world.waitpoints(other.lane(), 10)).hasSize(2);
            assertThat(world.send(approved(other)).orThrow().effect()).isEqualTo(Effect.RESUMED);
        }
    }

    @Test
    void what_an_erased_execution_waited_for_is_gone_with_it() {
        var lease = world.suspended(UNTIL_APPROVED);
        world.send(lease, "other", "x", "ada").orThrow();
        world.cancel(idOf(lease));
        world.store().operations().erase(List.of(idOf(lease)), OLGA);

        assertThat(world.send(approved(lease))).isNotFound("execution");
        assertThat(Given.asked(() -> world.received(idOf(lease)))).isNotFound("execution");
        assertThat(world.waitpoints(lease.lane(), 10)).isEmpty();
    }
}
