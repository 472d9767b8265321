package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.stream.Append;
import io.flowfabric.core.stream.FrameMode;
import io.flowfabric.core.stream.StreamFrame;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rules 2, 3, 18 and 19 for frames: each is appended once, in order, under a lease that holds. */
abstract class AppendRules extends Rules {
    private static final Payload HELLO = Payload.text("hello");

    AppendRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void frames_stand_in_the_order_in_which_they_were_appended_with_the_time_of_the_store() {
        var lease = world.begun();
        var bytes = Payload.of(new byte[] {0, -1, 127, -128}, "application/x-mine");
        assertThat(world.append(Append.durable(lease.fence(), 0, "said", HELLO))).isDone(1L);
        var first = world.now();
        world.advance(Duration.ofSeconds(3));
        assertThat(world.append(Append.live(lease.fence(), 1, "shown", bytes))).isDone(2L);

        assertThat(world.stream(lease).frames())
                .containsExactly(
                        new StreamFrame(0, FrameMode.DURABLE, "said", HELLO, first),
                        new StreamFrame(1, FrameMode.LIVE, "shown", bytes, world.now()));
    }

    @Test
    void the_same_frame_again_gets_the_first_answer_and_is_there_once() {
        var lease = world.begun();
        world.say(lease, 0, "a").orThrow();
        world.say(lease, 1, "b").orThrow();
        var before = world.stream(lease);
        world.advance(Duration.ofSeconds(1));

        assertThat(world.say(lease, 0, "a")).isDone(1L);
        assertThat(world.say(lease, 1, "b")).isDone(2L);

        assertThat(world.stream(lease)).isEqualTo(before);
    }

    @Test
    void another_frame_at_a_position_that_is_taken_is_a_conflict_and_the_first_stays() {
        var lease = world.begun();
        world.say(lease, 0, "a").orThrow();
        var before = world.stream(lease);
        var fence = lease.fence();
        var said = Payload.text("a");
        var others =
                List.of(
                        Append.durable(fence, 0, "said", HELLO),
                        Append.durable(fence, 0, "sung", said),
                        Append.live(fence, 0, "said", said),
                        Append.durable(fence, 0, "said", Payload.of(said.bytes(), "text/html")));

        for (Append other : others) {
            assertThat(world.append(other)).isConflict(Conflict.Code.APPENDED_DIFFERENTLY);
        }

        assertThat(world.stream(lease)).isEqualTo(before);
    }

    @Test
    void there_is_no_gap_between_frames() {
        var lease = world.begun();

        assertThat(world.say(lease, 1, "b")).isConflict(Conflict.Code.NOT_NEXT);
        world.say(lease, 0, "a").orThrow();
        assertThat(world.say(lease, 2, "c")).isConflict(Conflict.Code.NOT_NEXT);
        assertThat(world.say(lease, 1, "b")).isDone(2L);
    }

    @Test
    void a_batch_is_taken_in_its_order_with_an_answer_for_each() {
        var one = world.begun();
        var other = world.begun();
        var stale = new Fence(idOf(one), 0, one.fence().epoch() + 1);
        var nowhere = new Fence(unknown(), 0, 1);

        var answers =
                world.store()
                        .leases()
                        .append(
                                List.of(
                                        said(one.fence(), 0, "a"),
                                        said(other.fence(), 0, "x"),
                                        said(one.fence(), 1, "b"),
                                        said(one.fence(), 0, "a"),
                                        said(one.fence(), 1, "c"),
                                        said(stale, 2, "stale"),
                                        said(nowhere, 0, "lost"),
                                        said(one.fence(), 3, "d"),
                                        said(one.fence(), 2, "c")));

        assertThat(answers.get(0)).isDone(1L);
        assertThat(answers.get(1)).isDone(1L);
        assertThat(answers.get(2)).isDone(2L);
        assertThat(answers.get(3)).isDone(1L);
        assertThat(answers.get(4)).isConflict(Conflict.Code.APPENDED_DIFFERENTLY);
        assertThat(answers.get(5)).isLeaseLost();
        assertThat(answers.get(6)).isNotFound("execution");
        assertThat(answers.get(7)).isConflict(Conflict.Code.NOT_NEXT);
        assertThat(answers.get(8)).isDone(3L);
        assertThat(texts(one)).containsExactly("a", "b", "c");
        assertThat(texts(other)).containsExactly("x");
    }

    @Test
    void a_large_batch_is_appended_as_a_whole() {
        var lease = world.begun();
        var appends =
                IntStream.range(0, 2500).mapToObj(n -> said(lease.fence(), n, "n" + n)).toList();

        var answers = world.store().leases().append(appends);

        assertThat(answers).allMatch(answer -> answer.isDone());
        var page = world.store().streams().tail(idOf(lease), 0, 2400, (int) Limit.PAGE.max());
        assertThat(page.frames()).hasSize(100);
        assertThat(page.end()).isEqualTo(2500);
    }

    @Test
    void a_stale_lease_appends_nothing() {
        var released = world.begun();
        world.say(released, 0, "a").orThrow();
        world.end(release(released)).orThrow();
        assertThat(world.say(released, 1, "late")).isLeaseLost();

        var second = world.worker(released.lane()).claimOne();
        assertThat(world.say(released, 1, "late")).isLeaseLost();
        assertThat(world.say(released, 0, "a")).as("a repeat").isLeaseLost();
        assertThat(texts(second)).containsExactly("a");

        world.end(complete(second)).orThrow();
        assertThat(world.say(second, 1, "too late")).isLeaseLost();
        assertThat(texts(second)).containsExactly("a");
    }

    @Test
    void a_dead_worker_appends_nothing() {
        var lane = world.newLane();
        world.submit(Given.work().lane(lane));
        var frail = world.worker(world.session(lane));
        var lease = frail.claimOne();
        world.advance(frail.session().ttl());

        assertThat(world.say(lease, 0, "late")).isLeaseLost();
        assertThat(texts(lease)).isEmpty();
    }

    @Test
    void a_later_lease_of_the_same_attempt_counts_on() {
        var first = world.begun();
        world.say(first, 0, "a").orThrow();
        world.revoke(idOf(first));
        var second = world.worker(first.lane()).claimOne();

        assertThat(world.say(second, 0, "a")).as("what was said before").isDone(1L);
        assertThat(world.say(second, 0, "z")).isConflict(Conflict.Code.APPENDED_DIFFERENTLY);
        assertThat(world.say(second, world.stream(second).end(), "b")).isDone(2L);
        assertThat(texts(first)).containsExactly("a", "b");
    }

    @Test
    void another_attempt_has_a_stream_of_its_own() {
        var first = world.begun();
        world.say(first, 0, "a").orThrow();
        world.end(retry(first, Duration.ZERO)).orThrow();
        var second = world.worker(first.lane()).claimOne();

        assertThat(world.say(second, 0, "b")).isDone(1L);

        assertThat(texts(first)).containsExactly("a");
        assertThat(texts(second)).containsExactly("b");
    }

    @Test
    void a_frame_has_so_many_bytes_at_most() {
        var lease = world.begun();
        var largest = Payload.of(new byte[(int) Limit.FRAME_BYTES.max()], "image/png");
        assertThat(world.append(Append.durable(lease.fence(), 0, "said", largest))).isDone(1L);
        assertThat(world.stream(lease).frames().getFirst().payload()).isEqualTo(largest);

        var tooLarge = Payload.of(new byte[(int) Limit.FRAME_BYTES.max() + 1], "image/png");
        assertThat(Given.asked(() -> Append.durable(lease.fence(), 1, "said", tooLarge)))
                .isInvalid(Invalid.Code.TOO_LARGE);
    }

    @Test
    void an_attempt_has_so_many_bytes_of_durable_frames_at_most() {
        var lease = world.begun();
        var large = Payload.of(new byte[(int) Limit.FRAME_BYTES.max()], "image/png");
        long bytes = Append.durable(lease.fence(), 0, "said", large).bytes();
        int fit = (int) (Limit.STREAM_BYTES.max() / bytes);
        var all =
                IntStream.range(0, fit)
                        .mapToObj(n -> Append.durable(lease.fence(), n, "said", large))
                        .toList();
        assertThat(world.store().leases().append(all)).allMatch(answer -> answer.isDone());

        assertThat(world.append(Append.durable(lease.fence(), fit, "said", large)))
                .isInvalid(Invalid.Code.TOO_LARGE);

        assertThat(world.stream(lease).end()).as("nothing was stored").isEqualTo(fit);
        assertThat(world.append(Append.live(lease.fence(), fit, "shown", large)))
                .as("what does not stay has a bound of its own")
                .isDone(fit + 1L);
    }

    @Test
    void live_frames_go_when_there_are_enough_newer_ones_and_durable_ones_stay() {
        var lease = world.begun();
        int window = (int) Limit.LIVE_FRAMES.max();
        world.say(lease, 0, "kept").orThrow();
        var live =
                IntStream.range(1, 2 * window)
                        .mapToObj(n -> Append.live(lease.fence(), n, "shown", HELLO))
                        .toList();
        world.store().leases().append(live.subList(0, window - 1));
        world.say(lease, window, "kept, too").orThrow();
        assertThat(world.stream(lease).frames()).hasSize(window + 1);

        var more =
                IntStream.rangeClosed(window + 1, 2 * window)
                        .mapToObj(n -> Append.live(lease.fence(), n, "shown", HELLO))
                        .toList();
        assertThat(world.store().leases().append(more)).allMatch(answer -> answer.isDone());

        assertThat(world.stream(lease).frames().stream().map(StreamFrame::position))
                .containsExactlyElementsOf(
                        Stream.concat(
                                        Stream.of(0L),
                                        IntStream.rangeClosed(window, 2 * window)
                                                .mapToObj(n -> (long) n))
                                .toList());
        assertThat(world.append(live.getFirst()))
                .as("a repeat of what is gone was appended")
                .isDone(2L);
    }

    @Test
    void frames_are_no_events() {
        var lease = world.begun();
        var before = world.store().queries().history(idOf(lease));

        world.say(lease, 0, "a").orThrow();

        assertThat(world.store().queries().history(idOf(lease))).isEqualTo(before);
    }

    private static Append said(Fence fence, long position, String text) {
        return Append.durable(fence, position, "said", Payload.text(text));
    }

    private List<String> texts(Lease lease) {
        return world.stream(lease).frames().stream()
                .map(frame -> frame.payload().asText())
                .toList();
    }
}
