package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.delay;
import static io.flowfabric.testkit.contract.Endings.fail;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Endings.retry;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.unknown;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Recorded steps come with every later lease, until a fresh replay or the end of retention. */
abstract class StepKeepingRules extends Rules {
    private static final Payload PAID = Payload.text("paid");
    private static final Payload SENT = Payload.text("sent");

    StepKeepingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void a_first_lease_has_no_steps() {
        var lease = world.begun();

        assertThat(lease.steps()).isEmpty();
        assertThat(lease.stepsApart()).isFalse();
        assertThat(world.store().queries().allSteps(lease)).isEmpty();
        assertThat(world.recorded(idOf(lease))).isEmpty();
    }

    @Test
    void small_steps_come_with_every_later_lease_in_the_order_in_which_they_were_recorded() {
        var first = world.begun();
        var steps = new ArrayList<Step>();
        steps.add(world.checkpoint(first, "send", SENT).orThrow());
        world.advance(Duration.ofSeconds(1));
        steps.add(world.checkpoint(first, "pay", PAID).orThrow());
        world.end(retry(first, Duration.ZERO)).orThrow();

        var second = world.worker(first.lane()).claimOne();
        assertThat(second.steps()).isEqualTo(steps);
        assertThat(second.stepsApart()).isFalse();
        steps.add(world.checkpoint(second, "archive", Payload.EMPTY).orThrow());
        world.end(release(second)).orThrow();

        var third = world.worker(first.lane()).claimOne();
        assertThat(third.steps()).isEqualTo(steps);
        assertThat(world.store().queries().allSteps(third)).isEqualTo(steps);
    }

    @Test
    void a_claim_gives_to_each_lease_the_steps_of_its_own_execution() {
        var lane = world.newLane();
        world.submit(3, () -> work().lane(lane));
        var first = world.worker(lane).claim(3);
        var paid = world.checkpoint(first.get(0), "pay", PAID).orThrow();
        var sent = world.checkpoint(first.get(2), "send", SENT).orThrow();
        first.forEach(lease -> world.end(release(lease)).orThrow());

        var second = world.worker(lane).claim(3);

        assertThat(second.stream().collect(toMap(Given::idOf, Lease::steps)))
                .isEqualTo(
                        Map.of(
                                idOf(first.get(0)), List.of(paid),
                                idOf(first.get(1)), List.of(),
                                idOf(first.get(2)), List.of(sent)));
    }

    @Test
    void steps_up_to_sixteen_kibibytes_come_with_the_lease_and_larger_ones_are_read_apart() {
        var lease = world.begun();
        int overhead = "large".length() + "x/y".length();
        var large = Payload.of(new byte[Lease.STEPS_BYTES - overhead], "x/y");
        var step = world.checkpoint(lease, "large", large).orThrow();
        world.end(release(lease)).orThrow();

        var whole = world.worker(lease.lane()).claimOne();
        assertThat(whole.steps()).containsExactly(step);
        assertThat(whole.stepsApart()).isFalse();

        var more = world.checkpoint(whole, "m", Payload.of(new byte[0], "t")).orThrow();
        world.end(release(whole)).orThrow();
        var apart = world.worker(lease.lane()).claimOne();
        assertThat(apart.steps()).isEmpty();
        assertThat(apart.stepsApart()).isTrue();
        assertThat(world.store().queries().allSteps(apart)).containsExactly(step, more);
    }

    @Test
    void a_repeated_claim_has_the_steps_that_were_recorded_under_it() {
        var lane = world.newLane();
        world.submit(work().lane(lane));
        var worker = world.worker(lane);
        var lease = worker.claimOne();
        var step = world.checkpoint(lease, "pay", PAID).orThrow();

        assertThat(worker.repeatClaim(1)).containsExactly(lease.steps(List.of(step)));
    }

    @Test
    void a_redeemed_grant_and_a_claim_by_hand_bring_the_steps_too() {
        world.store().keys().first();
        var first = world.begun();
        var step = world.checkpoint(first, "pay", PAID).orThrow();
        world.end(release(first)).orThrow();
        var worker = world.worker(first.lane());

        var redeemed = worker.redeem(worker.grantedOne()).orThrow();
        assertThat(redeemed.steps()).containsExactly(step);
        world.end(release(redeemed)).orThrow();

        var byHand = world.claimByHand(idOf(first), worker).orThrow();
        assertThat(byHand.steps()).containsExactly(step);
        var more = world.checkpoint(byHand, "send", SENT).orThrow();
        assertThat(world.claimByHand(idOf(first), worker).orThrow().steps())
                .as("asked for again")
                .containsExactly(step, more);
        world.checkpoint(byHand, "large", Payload.of(new byte[Lease.STEPS_BYTES], "x/y")).orThrow();
        assertThat(world.claimByHand(idOf(first), worker).orThrow().stepsApart()).isTrue();
    }

    @Test
    void nothing_but_a_fresh_replay_clears_steps() {
        var policy = Policy.DEFAULT.stallTimeout(Duration.ofMinutes(1));
        var lease = world.begun(policy);
        var work = idOf(lease);
        var step = world.checkpoint(lease, "pay", PAID).orThrow();
        var lane = lease.lane();

        world.end(delay(lease, Duration.ofMinutes(1))).orThrow();
        world.pass(Duration.ofMinutes(1));
        var stalled = takenWith(lane, step);
        world.pass(Duration.ofMinutes(1));
        assertThat(world.view(stalled)).as("it has stalled").hasLapsed(1);
        takenWith(lane, step);
        world.revoke(work);
        takenWith(lane, step);
        world.pause(work);
        world.resume(work);
        var ending = takenWith(lane, step);
        world.end(fail(ending)).orThrow();
        assertThat(world.recorded(work)).as("after its end").containsExactly(step);

        world.replay(work);
        var again = takenWith(lane, step);
        assertThat(world.checkpoint(again, "pay", PAID)).isDone(step);
    }

    @Test
    void a_fresh_replay_begins_without_steps_and_records_them_anew() {
        var first = world.begun();
        var work = idOf(first);
        world.checkpoint(first, "pay", PAID).orThrow();
        world.checkpoint(first, "send", SENT).orThrow();
        world.end(complete(first)).orThrow();
        world.advance(Duration.ofSeconds(1));

        world.act(new OperatorCommand.Replay(work, true)).orThrow();

        assertThat(world.recorded(work)).isEmpty();
        var again = world.worker(first.lane()).claimOne();
        assertThat(again.steps()).isEmpty();
        assertThat(again.stepsApart()).isFalse();
        var sent = world.checkpoint(again, "send", PAID).orThrow();
        assertThat(sent).isEqualTo(new Step("send", PAID, 1, world.now()));
        assertThat(world.recorded(work)).containsExactly(sent);
        world.end(complete(again)).orThrow();
        world.replay(work);
        assertThat(takenWith(first.lane(), sent).next().begun()).isTrue();
    }

    @Test
    void a_fresh_replay_that_is_refused_clears_nothing() {
        var lease = world.begun(Policy.DEFAULT.maxReplays(0));
        var step = world.checkpoint(lease, "pay", PAID).orThrow();
        var fresh = new OperatorCommand.Replay(idOf(lease), true);

        assertThat(world.act(fresh)).isRefused();
        assertThat(world.recorded(idOf(lease))).containsExactly(step);
        world.end(complete(lease)).orThrow();
        assertThat(world.act(fresh)).isRefused();

        assertThat(world.recorded(idOf(lease))).containsExactly(step);
    }

    @Test
    void what_is_forgotten_or_erased_leaves_no_steps_behind() {
        var lane = world.newLane();
        var submission = work(Policy.DEFAULT.retention(Duration.ofHours(1))).lane(lane);
        var id = world.submit(submission);
        var worker = world.worker(lane);
        endsWithSteps(worker.claimOne());

        world.pass(Duration.ofHours(1));
        assertThat(asked(() -> world.recorded(id))).isNotFound("execution");
        world.submit(submission.id(id));
        var heir = world.worker(lane);
        var second = heir.claimOne();
        assertThat(second.steps()).isEmpty();
        assertThat(world.recorded(id)).isEmpty();
        endsWithSteps(second);
        var operations = world.store().operations();
        operations.erase(List.of(id), Scenario.OLGA).getFirst().orThrow();

        assertThat(asked(() -> world.recorded(id))).isNotFound("execution");
        assertThat(world.wholeFeed(FeedFilter.of(Topic.EVERYTHING).lane(lane)).read())
                .as("only that it was erased")
                .hasSize(1);
        world.submit(submission.id(id));
        var third = heir.claimOne();
        assertThat(third.steps()).isEmpty();
        assertThat(world.checkpoint(third, "pay", SENT)).isDone();
        assertThat(world.store().queries().history(id)).hasSize(3);
    }

    private void endsWithSteps(Lease lease) {
        world.checkpoint(lease, "pay", PAID).orThrow();
        world.checkpoint(lease, "large", Payload.of(new byte[20_000], "x/y")).orThrow();
        world.end(complete(lease)).orThrow();
    }

    @Test
    void steps_are_listed_page_by_page() {
        var lease = world.begun();
        var steps = new ArrayList<Step>();
        for (var name : List.of("one", "two", "three", "four", "five")) {
            steps.add(world.checkpoint(lease, name, PAID).orThrow());
        }
        var queries = world.store().queries();
        var id = idOf(lease);

        for (int size = 1; size <= 6; size++) {
            int max = size;
            assertThat(Everything.pages(after -> queries.steps(id, after, max))).isEqualTo(steps);
        }
        var first = queries.steps(id, Cursor.START, 2);
        assertThat(first.items()).isEqualTo(steps.subList(0, 2));
        assertThat(queries.steps(id, first.next(), 5).items()).isEqualTo(steps.subList(2, 5));
        assertThat(queries.steps(id, Cursor.START, 5).next()).isEqualTo(Cursor.END);
    }

    @Test
    void a_page_of_steps_has_no_more_bytes_than_a_message_should() {
        var lease = world.begun();
        var large = Payload.of(new byte[(int) Limit.STEP_BYTES.max()], "x/y");
        int count = (int) (Chunks.BYTES / Limit.STEP_BYTES.max()) + 2;
        for (int n = 0; n < count; n++) {
            world.checkpoint(lease, "step " + n, large).orThrow();
        }

        var page = world.store().queries().steps(idOf(lease), Cursor.START, count);

        assertThat(page.items().stream().mapToLong(Step::bytes).sum())
                .isLessThanOrEqualTo(Chunks.BYTES);
        assertThat(page.items()).isNotEmpty();
        assertThat(page.next()).isNotEqualTo(Cursor.END);
        assertThat(world.recorded(idOf(lease))).hasSize(count);
    }

    @Test
    void a_listing_of_steps_refuses_what_it_cannot_list() {
        var id = idOf(world.begun());
        var queries = world.store().queries();
        var elsewhere = new Partition((id.partition().number() + 1) % Partition.COUNT);
        var misplaced = new ExecutionId(elsewhere, id.uuid());

        assertThat(asked(() -> world.recorded(unknown()))).isNotFound("execution");
        assertThat(asked(() -> world.recorded(misplaced))).isNotFound("execution");
        assertThat(asked(() -> queries.steps(id, Cursor.START, 0)))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
        assertThat(asked(() -> queries.steps(id, Cursor.START, 1001)))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
        for (var cursor : List.of(Cursor.NOW, Cursor.END, world.store().feeds().beginning())) {
            assertThat(asked(() -> queries.steps(id, cursor, 1)))
                    .isInvalid(Invalid.Code.MALFORMED_CURSOR);
        }
    }

    /** The lease that a worker gets, which must come with this one step. */
    private Lease takenWith(Lane lane, Step step) {
        var lease = world.worker(lane).claimOne();
        assertThat(lease.steps()).containsExactly(step);
        return lease;
    }
}
