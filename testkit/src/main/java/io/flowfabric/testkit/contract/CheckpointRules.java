package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Rules 2, 3, 18 and 19 for steps: each is recorded once, under a lease that holds. */
abstract class CheckpointRules extends Rules {
    private static final Payload PAID = Payload.text("paid");
    private static final Payload OTHER = Payload.text("other");

    CheckpointRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_step_is_answered_with_what_was_recorded_when_and_in_which_attempt() {
        var first = world.begun();
        world.end(retry(first, Duration.ZERO)).orThrow();
        var second = world.worker(first.lane()).claimOne();
        world.advance(Duration.ofSeconds(3));

        assertThat(world.checkpoint(second, "pay", PAID))
                .isDone(new Step("pay", PAID, 1, world.now()));

        assertThat(world.recorded(idOf(first)))
                .containsExactly(new Step("pay", PAID, 1, world.now()));
    }

    @Test
    void the_same_step_again_gets_the_first_answer_also_under_a_later_lease() {
        var first = world.begun();
        var recorded = world.checkpoint(first, "pay", PAID).orThrow();
        world.advance(Duration.ofSeconds(1));

        assertThat(world.checkpoint(first, "pay", PAID)).isDone(recorded);

        world.end(retry(first, Duration.ZERO)).orThrow();
        var second = world.worker(first.lane()).claimOne();
        var before = world.everything();
        assertThat(world.checkpoint(second, "pay", PAID)).isDone(recorded);
        assertThat(world.everything()).as("a repeat changes nothing").isEqualTo(before);
        assertThat(world.recorded(idOf(first))).containsExactly(recorded);
    }

    @Test
    void other_content_under_the_same_name_is_a_conflict_and_the_first_stays() {
        var lease = world.begun();
        var recorded = world.checkpoint(lease, "pay", PAID).orThrow();
        var otherType = Payload.of(PAID.bytes(), "application/json");

        for (var content : List.of(OTHER, otherType, Payload.EMPTY)) {
            assertThat(world.checkpoint(lease, "pay", content))
                    .isConflict(Conflict.Code.RECORDED_DIFFERENTLY)
                    .says("pay")
                    .says("record under a name of its own");
        }

        assertThat(world.recorded(idOf(lease))).containsExactly(recorded);
    }

    @Test
    void steps_of_one_call_are_taken_one_after_the_other() {
        var mine = world.begun();
        var other = world.begun();
        var checkpoints =
                List.of(
                        new Checkpoint(mine.fence(), "pay", PAID),
                        new Checkpoint(other.fence(), "pay", OTHER),
                        new Checkpoint(mine.fence(), "pay", OTHER),
                        new Checkpoint(mine.fence(), "send", OTHER),
                        new Checkpoint(mine.fence(), "pay", PAID));

        var answers = world.store().leases().checkpoint(checkpoints);

        var paid = new Step("pay", PAID, 0, world.now());
        assertThat(answers.get(0)).isDone(paid);
        assertThat(answers.get(1)).isDone(new Step("pay", OTHER, 0, world.now()));
        assertThat(answers.get(2)).isConflict(Conflict.Code.RECORDED_DIFFERENTLY);
        assertThat(answers.get(3)).isDone(new Step("send", OTHER, 0, world.now()));
        assertThat(answers.get(4)).isDone(paid);
        assertThat(world.recorded(idOf(mine)))
                .extracting(Step::name)
                .containsExactly("pay", "send");
        assertThat(world.recorded(idOf(other))).extracting(Step::content).containsExactly(OTHER);
    }

    @Test
    void one_stale_item_never_fails_the_others() {
        var good = world.begun();
        var stale = world.begun();
        world.revoke(idOf(stale));
        var checkpoints =
                Stream.of(stale, good, stale)
                        .map(lease -> new Checkpoint(lease.fence(), "pay", PAID))
                        .toList();

        var answers = world.store().leases().checkpoint(checkpoints);

        assertThat(answers.get(0)).isLeaseLost();
        assertThat(answers.get(1)).isDone();
        assertThat(answers.get(2)).isLeaseLost();
        assertThat(world.recorded(idOf(stale))).isEmpty();
    }

    @Test
    void a_stale_worker_records_nothing_and_learns_nothing() {
        var work = world.submit();
        var frail = world.frailWorker();
        var stale = frail.claimOne();
        var recorded = world.checkpoint(stale, "pay", PAID).orThrow();
        world.bury(frail);
        nothingIsRecordedWith(stale.fence());
        var heir = world.worker().claimOne();

        nothingIsRecordedWith(stale.fence());
        nothingIsRecordedWith(new Fence(work, 0, heir.fence().epoch() + 1));
        nothingIsRecordedWith(new Fence(work, 1, heir.fence().epoch()));

        assertThat(world.recorded(work)).containsExactly(recorded);
        assertThat(world.checkpoint(heir, "send", OTHER)).isDone();
    }

    @Test
    void a_worker_whose_session_has_run_out_is_refused_before_anybody_has_noticed() {
        world.submit();
        var frail = world.frailWorker();
        var lease = frail.claimOne();
        world.advance(frail.session().ttl().minusMillis(1));
        assertThat(world.checkpoint(lease, "pay", PAID)).isDone();

        world.advance(Duration.ofMillis(1));

        nothingIsRecordedWith(lease.fence());
    }

    @Test
    void nothing_is_recorded_of_work_that_has_ended_or_was_given_up() {
        var ended = world.begun();
        world.end(complete(ended)).orThrow();
        var released = world.begun();
        world.end(release(released)).orThrow();
        var cancelled = world.begun();
        world.cancel(idOf(cancelled));

        for (var lease : List.of(ended, released, cancelled)) {
            nothingIsRecordedWith(lease.fence());
            assertThat(world.recorded(idOf(lease))).isEmpty();
        }
    }

    @Test
    void a_fence_for_unknown_work_is_not_found() {
        var lease = world.begun();
        var id = idOf(lease);
        var elsewhere = new Partition((id.partition().number() + 1) % Partition.COUNT);
        var misplaced = new Fence(new ExecutionId(elsewhere, id.uuid()), 0, lease.fence().epoch());

        for (var fence : List.of(new Fence(unknown(), 0, 1), misplaced)) {
            assertThat(world.checkpoint(fence, "pay", PAID)).isNotFound("execution");
        }
        assertThat(world.recorded(id)).isEmpty();
    }

    @Test
    void a_step_of_one_execution_says_nothing_about_another() {
        var mine = world.begun();
        var other = world.begun();
        world.checkpoint(mine, "pay", PAID).orThrow();

        assertThat(world.checkpoint(other, "pay", OTHER)).isDone();

        assertThat(world.recorded(idOf(mine))).extracting(Step::content).containsExactly(PAID);
    }

    @Test
    void a_step_puts_off_that_its_worker_is_taken_for_stalled() {
        var minute = Duration.ofMinutes(1);
        var lease = world.begun(Policy.DEFAULT.stallTimeout(minute));
        world.pass(minute.minusMillis(1));
        assertThat(world.checkpoint(lease, "pay", PAID)).isDone();

        world.pass(minute.minusMillis(1));
        assertThat(world.view(lease)).hasLapsed(0);
        assertThat(world.view(lease).progress()).as("no progress was reported").isEmpty();
        assertThat(world.checkpoint(lease, "pay", PAID)).as("a repeat").isDone();
        world.pass(Duration.ofMillis(1));

        assertThat(world.view(lease)).hasLapsed(1);
        var again = world.worker(lease.lane()).claimOne();
        world.pass(minute.minusMillis(1));
        assertThat(world.view(again)).as("what was recorded before it began").hasLapsed(1);
        world.pass(Duration.ofMillis(1));
        assertThat(world.view(again)).hasLapsed(2);
    }

    @Test
    void each_recorded_step_is_told_with_its_name_its_attempt_and_its_lease() {
        var lane = world.newLane();
        world.submit(work().lane(lane).tag("customer", "ada"));
        var lease = world.worker(lane).claimOne();
        var feed = world.feed(FeedFilter.of(Topic.EVERYTHING));
        world.checkpoint(lease, "pay", PAID).orThrow();
        world.checkpoint(lease, "pay", PAID).orThrow();
        assertThat(world.checkpoint(lease, "pay", OTHER)).isRefused();

        var told =
                new Event.StepRecorded(
                        idOf(lease), lane, "pay", 0, lease.fence().epoch(), world.now());
        assertThat(feed.read()).containsExactly(told);
        assertThat(world.store().queries().history(idOf(lease))).hasSize(3).endsWith(told);
        var everything = FeedFilter.of(Topic.EVERYTHING);
        assertThat(world.wholeFeed(everything.tag("customer", "ada")).read()).endsWith(told);
        assertThat(world.wholeFeed(everything.tag("customer", "bob")).read()).isEmpty();
        assertThat(world.wholeFeed(everything.lane(lane)).read()).endsWith(told);
        for (var topic : List.of(Topic.LEASES, Topic.COMPLETIONS, Topic.OPERATIONS)) {
            assertThat(world.wholeFeed(FeedFilter.of(topic)).read()).doesNotContain(told);
        }
    }

    @Test
    void an_execution_has_a_thousand_steps_and_no_more() {
        var lease = world.begun();
        int most = (int) Limit.STEPS.max();
        record(lease, IntStream.range(0, most).mapToObj(n -> new Named("step " + n, PAID)));
        var before = world.everything();

        assertThat(world.checkpoint(lease, "one more", PAID)).isInvalid(Invalid.Code.TOO_MANY);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.checkpoint(lease, "step 7", PAID)).as("a repeat").isDone();
        assertThat(world.checkpoint(lease, "step 7", OTHER))
                .isConflict(Conflict.Code.RECORDED_DIFFERENTLY);
        assertThat(world.recorded(idOf(lease)))
                .extracting(Step::name)
                .containsExactlyElementsOf(
                        IntStream.range(0, most).mapToObj(n -> "step " + n).toList());
    }

    @Test
    void all_steps_of_an_execution_together_have_their_limit() {
        var lease = world.begun();
        var large = Payload.of(new byte[(int) Limit.STEP_BYTES.max()], "x/y");
        int overhead = "step-00".length() + "x/y".length();
        long each = Limit.STEP_BYTES.max() + overhead;
        int whole = (int) (Limit.ALL_STEPS_BYTES.max() / each);
        record(
                lease,
                IntStream.range(0, whole)
                        .mapToObj(n -> new Named("step-%02d".formatted(n), large)));
        int rest = (int) (Limit.ALL_STEPS_BYTES.max() - whole * each - overhead);

        var tooLarge = Payload.of(new byte[rest + 1], "x/y");
        assertThat(world.checkpoint(lease, "step-99", tooLarge)).isInvalid(Invalid.Code.TOO_LARGE);
        var fitting = Payload.of(new byte[rest], "x/y");
        assertThat(world.checkpoint(lease, "step-99", fitting)).isDone();
        assertThat(world.checkpoint(lease, "x", Payload.EMPTY)).isInvalid(Invalid.Code.TOO_LARGE);
        assertThat(world.checkpoint(lease, "step-00", large)).as("a repeat").isDone();

        var read = world.store().queries().allSteps(lease.withStepsApart());
        assertThat(read).hasSize(whole + 1).extracting(Step::content).endsWith(large, fitting);
    }

    private record Named(String name, Payload content) {}

    private void record(Lease lease, Stream<Named> steps) {
        var checkpoints =
                steps.map(step -> new Checkpoint(lease.fence(), step.name, step.content)).toList();
        world.store().leases().checkpoint(checkpoints).forEach(answer -> answer.orThrow());
    }

    /** Nothing is recorded under this fence, not even what was before, and nothing changes. */
    private void nothingIsRecordedWith(Fence fence) {
        var before = world.everything();
        for (var name : List.of("pay", "send")) {
            assertThat(world.checkpoint(fence, name, PAID)).isLeaseLost();
            assertThat(world.checkpoint(fence, name, OTHER)).isLeaseLost();
        }
        assertThat(world.everything()).isEqualTo(before);
    }
}
