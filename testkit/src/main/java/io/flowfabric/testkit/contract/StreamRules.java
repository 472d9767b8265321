package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.cancel;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameRange;
import io.flowfabric.core.stream.StreamEnd;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** Streams are read in pages while they grow and afterwards, and readers learn when they end. */
abstract class StreamRules extends Rules {
    StreamRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_stream_is_read_page_by_page() {
        var lease = said(10);
        var id = idOf(lease);

        var first = world.store().streams().tail(id, 0, 0, 4);
        assertThat(positions(first)).containsExactly(0L, 1L, 2L, 3L);
        assertThat(first.more()).isTrue();
        assertThat(first.next()).isEqualTo(4);
        assertThat(first.end()).isEqualTo(10);
        assertThat(first.closed()).isEmpty();

        var last = world.store().streams().tail(id, 0, 6, 4);
        assertThat(positions(last)).containsExactly(6L, 7L, 8L, 9L);
        assertThat(last.more()).isFalse();
        assertThat(last.next()).isEqualTo(10);

        var nothing = world.store().streams().tail(id, 0, 10, 4);
        assertThat(nothing.frames()).isEmpty();
        assertThat(nothing.next()).isEqualTo(10);
        assertThat(nothing.more()).isFalse();
    }

    @Test
    void a_range_of_positions_or_of_time_is_read() {
        var lease = world.begun();
        var begun = world.now();
        for (int n = 0; n < 10; n++) {
            world.say(lease, n, "n").orThrow();
            world.advance(Duration.ofSeconds(1));
        }

        assertThat(positions(read(lease, FrameRange.from(3).to(5)))).containsExactly(3L, 4L, 5L);
        assertThat(
                        positions(
                                read(
                                        lease,
                                        FrameRange.ALL
                                                .since(begun.plusSeconds(2))
                                                .until(begun.plusSeconds(4)))))
                .containsExactly(2L, 3L, 4L);
        assertThat(
                        positions(
                                read(
                                        lease,
                                        FrameRange.ALL
                                                .since(begun.plusMillis(2001))
                                                .until(begun.plusMillis(3999)))))
                .containsExactly(3L);
        assertThat(positions(read(lease, FrameRange.from(4).since(begun).until(begun)))).isEmpty();
        var some = world.store().streams().read(idOf(lease), 0, FrameRange.from(3).to(5), 2);
        assertThat(some.more()).isTrue();
        var rest =
                world.store().streams().read(idOf(lease), 0, FrameRange.from(some.next()).to(5), 2);
        assertThat(positions(rest)).containsExactly(5L);
        assertThat(rest.more()).isFalse();
    }

    @Test
    void a_range_of_time_is_found_among_frames_of_which_some_are_gone() {
        var lease = world.begun();
        int window = (int) Limit.LIVE_FRAMES.max();
        world.say(lease, 0, "first").orThrow();
        var live =
                IntStream.range(1, 2 * window)
                        .mapToObj(n -> Append.live(lease.fence(), n, "l", Payload.EMPTY))
                        .toList();
        world.store().leases().append(live);
        world.advance(Duration.ofSeconds(1));
        var since = world.now();
        world.say(lease, 2L * window, "last").orThrow();

        assertThat(positions(read(lease, FrameRange.ALL.since(since))))
                .containsExactly(2L * window);
        assertThat(positions(read(lease, FrameRange.from(1).to(window - 1)))).isEmpty();
    }

    @Test
    void a_page_has_no_more_bytes_than_a_message_should_have() {
        var lease = world.begun();
        var large = Payload.of(new byte[(int) Limit.FRAME_BYTES.max()], "image/png");
        var appends =
                IntStream.range(0, 300)
                        .mapToObj(n -> Append.durable(lease.fence(), n, "said", large))
                        .toList();
        world.store().leases().append(appends);

        var page = world.stream(lease);
        assertThat(page.frames()).hasSizeBetween(100, 128);
        assertThat(page.more()).isTrue();
        var seen = page.frames().size();
        while (page.more()) {
            page = world.store().streams().tail(idOf(lease), 0, page.next(), 1000);
            seen += page.frames().size();
        }
        assertThat(seen).isEqualTo(300);
    }

    @Test
    void an_attempt_that_has_not_begun_has_an_empty_and_open_stream() {
        var id = world.submit();

        var page = world.store().streams().tail(id, 0, 0, 10);

        assertThat(page).isEqualTo(new StreamPage(List.of(), 0, false, 0, Optional.empty()));
    }

    @Test
    void what_is_not_there_has_no_stream() {
        var id = unknown();

        assertThat(asked(() -> world.store().streams().tail(id, 0, 0, 1))).isNotFound("execution");
        assertThat(asked(() -> world.store().streams().summary(id, 0))).isNotFound("execution");
    }

    @Test
    void a_stream_is_closed_with_the_execution_and_says_why() {
        assertClosed(StreamEnd.COMPLETED, lease -> world.end(complete(lease)).orThrow());
        assertClosed(StreamEnd.CANCELLED, lease -> world.cancel(idOf(lease)));
        assertClosed(
                StreamEnd.COMPLETED,
                lease ->
                        world.act(
                                        new OperatorCommand.Complete(
                                                idOf(lease), Payload.text("by hand")))
                                .orThrow());
        assertClosed(StreamEnd.CANCELLED, lease -> world.end(cancel(lease)).orThrow());
        var expiring = world.begun(Policy.DEFAULT.deadline(Due.in(Duration.ofMinutes(1))));
        world.say(expiring, 0, "a").orThrow();
        world.pass(Duration.ofMinutes(1));
        assertThat(world.stream(expiring).closed()).contains(StreamEnd.EXPIRED);
    }

    private interface Closing {
        void close(Lease lease);
    }

    private void assertClosed(StreamEnd end, Closing closing) {
        var lease = said(2);
        assertThat(world.stream(lease).closed()).isEmpty();

        closing.close(lease);

        var page = world.stream(lease);
        assertThat(page.closed()).contains(end);
        assertThat(page.last()).isTrue();
        assertThat(positions(page)).containsExactly(0L, 1L);
    }

    @Test
    void a_retry_and_a_replay_supersede_the_stream_and_begin_another() {
        var first = said(1);
        world.end(retry(first, Duration.ofMinutes(1))).orThrow();
        assertThat(world.stream(first).closed()).contains(StreamEnd.SUPERSEDED);
        world.pass(Duration.ofMinutes(1));
        var second = world.worker(first.lane()).claimOne();
        assertThat(world.stream(second).closed()).isEmpty();
        assertThat(world.stream(second).frames()).isEmpty();
        world.say(second, 0, "b").orThrow();
        world.end(complete(second)).orThrow();

        for (boolean fresh : new boolean[] {false, true}) {
            world.act(new OperatorCommand.Replay(idOf(first), fresh)).orThrow();
            var next = world.worker(first.lane()).claimOne();
            assertThat(world.stream(next).frames()).isEmpty();
            world.say(next, 0, "c").orThrow();
            assertThat(world.stream(next).closed()).isEmpty();
            assertThat(world.stream(second).closed()).contains(StreamEnd.SUPERSEDED);
            world.end(complete(next)).orThrow();
        }
        assertThat(positions(world.stream(first))).containsExactly(0L);
        assertThat(positions(world.stream(second))).containsExactly(0L);
    }

    @Test
    void a_lease_that_is_given_up_leaves_the_stream_open() {
        var lease = said(1);
        world.end(release(lease)).orThrow();
        assertThat(world.stream(lease).closed()).isEmpty();

        var second = world.worker(lease.lane()).claimOne();
        world.revoke(idOf(second));
        assertThat(world.stream(lease).closed()).isEmpty();
        world.pause(idOf(second));
        assertThat(world.stream(lease).closed()).isEmpty();
    }

    @Test
    void what_is_forgotten_or_erased_has_no_stream_and_what_takes_its_id_begins_anew() {
        var kept = Policy.DEFAULT.retention(Duration.ofHours(1));
        for (boolean erased : new boolean[] {false, true}) {
            var submission = work(kept).lane(world.newLane());
            var id = world.submit(submission);
            var lease = world.worker(submission.lane()).claimOne();
            world.say(lease, 0, "a").orThrow();
            world.append(Append.summary(lease.fence(), 1, "s", "{\"a\":1}")).orThrow();
            world.append(Append.live(lease.fence(), 2, "l", Payload.EMPTY)).orThrow();
            world.end(retry(lease, Duration.ZERO)).orThrow();
            var second = world.worker(submission.lane()).claimOne();
            world.say(second, 0, "b").orThrow();
            world.end(complete(second)).orThrow();
            if (erased) {
                world.store().operations().erase(List.of(id), Scenario.OLGA);
            } else {
                world.pass(Duration.ofHours(1));
            }
            assertThat(asked(() -> world.store().streams().tail(id, 0, 0, 1)))
                    .isNotFound("execution");

            assertThat(world.submit(submission)).isEqualTo(id);
            assertStreamsAreNew(id);
            var again = world.worker(submission.lane()).claimOne();
            assertThat(world.say(again, 0, "other")).isDone(1L);
            world.cancel(id);
        }
    }

    private void assertStreamsAreNew(ExecutionId id) {
        for (int attempt = 0; attempt < 2; attempt++) {
            var page = world.store().streams().tail(id, attempt, 0, 10);
            assertThat(page.frames()).isEmpty();
            assertThat(page.end()).isZero();
            assertThat(world.store().streams().summary(id, attempt)).isEmpty();
        }
    }

    private Lease said(int frames) {
        var lease = world.begun();
        IntStream.range(0, frames).forEach(n -> world.say(lease, n, "n" + n).orThrow());
        return lease;
    }

    private StreamPage read(Lease lease, FrameRange range) {
        return world.store().streams().read(idOf(lease), 0, range, 1000);
    }

    private static List<Long> positions(StreamPage page) {
        return page.frames().stream().map(StreamFrame::position).toList();
    }
}
