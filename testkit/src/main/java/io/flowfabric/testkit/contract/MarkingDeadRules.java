package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.idOf;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.operate.WorkerView;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** Rules 4 and 22: an operator may declare a worker dead, and it is as if it had died. */
abstract class MarkingDeadRules extends Rules {
    private static final Duration MOMENT = Duration.ofSeconds(1);
    private static final FeedFilter OPERATIONS = FeedFilter.of(Topic.OPERATIONS);

    MarkingDeadRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void the_work_of_a_worker_that_is_marked_dead_is_ready_again_at_once() {
        var work = world.submit();
        var worker = world.worker();
        var lease = worker.claimOne();

        markDead(worker).orThrow();

        assertThat(world.view(work))
                .reads(new Ready(LeasePurpose.RECLAIM))
                .isUnowned()
                .hasBegun(1)
                .hasRetried(0)
                .hasLapsed(1);
        assertThat(world.end(complete(lease))).isLeaseLost();
        assertThat(world.worker().claimOne().fence()).isEqualTo(world.fence(work, 0, 2));
    }

    @Test
    void a_worker_that_was_marked_dead_never_lives_again() {
        var worker = world.worker();

        markDead(worker).orThrow();

        assertThat(worker.beat()).isNotFound("session");
        assertThat(asked(() -> worker.claim(1))).isNotFound("session");
        assertThat(asked(() -> world.store().sessions().open(worker.session())))
                .isNotFound("session");
    }

    @Test
    void the_operator_is_shown_the_worker_as_it_is_then() {
        var opened = world.now();
        world.submit();
        var worker = world.worker();
        worker.claimOne();
        world.advance(MOMENT);

        var dead = new WorkerView(worker.session(), opened, opened, opened.plus(MOMENT), false, 0);

        assertThat(markDead(worker)).isDone(dead);
        world.pass(MOMENT);
        assertThat(world.store().workers().describe(worker.session().id())).isEqualTo(dead);
    }

    @Test
    void marking_a_worker_dead_is_told_with_who_did_it() {
        var worker = world.worker();
        world.submit();
        worker.claimOne();
        var feed = world.feed(OPERATIONS);
        world.advance(MOMENT);

        markDead(worker).orThrow();

        assertThat(feed.read()).containsExactly(marked(worker));
        assertThat(world.feed(OPERATIONS.namespace(Scenario.ELSEWHERE)).read()).isEmpty();
    }

    @Test
    void the_history_of_what_it_held_says_that_it_was_marked_dead() {
        var done = world.submit();
        var held = world.submit();
        var worker = world.worker();
        world.end(complete(worker.claimOne())).orThrow();
        worker.claimOne();

        markDead(worker).orThrow();

        var history = world.store().queries().history(held);
        assertThat(history.get(2)).isEqualTo(marked(worker));
        assertThat(history.get(3)).isEqualTo(world.lastStep(held));
        assertThat(world.store().queries().history(done)).doesNotContain(marked(worker));
    }

    @Test
    void marking_again_changes_nothing() {
        world.submit();
        var worker = world.worker();
        worker.claimOne();
        var first = markDead(worker).orThrow();
        var before = world.everything();
        world.advance(MOMENT);

        assertThat(markDead(worker)).isDone(first);

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_worker_that_left_before_was_not_marked_dead_by_anybody() {
        var worker = world.worker();
        worker.close();
        var feed = world.feed(OPERATIONS);

        assertThat(markDead(worker)).isDone();

        assertThat(feed.read()).isEmpty();
    }

    @Test
    void the_work_of_one_whose_time_has_run_out_returns_at_once_as_well() {
        var work = world.submit();
        var frail = world.frailWorker();
        frail.claimOne();
        var feed = world.feed(OPERATIONS);
        world.advance(frail.session().ttl());

        assertThat(markDead(frail)).isDone();

        assertThat(world.view(work)).reads(new Ready(LeasePurpose.RECLAIM)).hasLapsed(1);
        assertThat(feed.read()).as("it died by itself").isEmpty();
    }

    @Test
    void work_beyond_its_cap_fails_as_with_any_other_death() {
        var work = world.submit(Policy.DEFAULT.maxReclaims(0));
        var worker = world.worker();
        worker.claimOne();

        markDead(worker).orThrow();

        assertThat(world.view(work)).endedAs(Outcome.FAILED);
        assertThat(world.failureOf(work))
                .isEqualTo(Failure.of(Failure.INFRA_CRASH, "max_reclaims_exceeded"));
    }

    @Test
    void other_workers_are_left_alone() {
        world.submit(2, Given::work);
        var marked = world.worker();
        marked.claimOne();
        var other = world.worker();
        var lease = other.claimOne();

        markDead(marked).orThrow();

        assertThat(other.beat(lease.fence()).orThrow().lost()).isEmpty();
        assertThat(world.view(idOf(lease))).isHeldBy(other).hasLapsed(0);
    }

    @Test
    void a_worker_that_never_came_cannot_be_marked_dead() {
        var before = world.everything();

        assertThat(markDead(SessionId.mint())).isNotFound("session");

        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void whoever_claims_while_it_is_marked_dead_keeps_nothing() {
        for (int round = 0; round < 25; round++) {
            var works = world.submit(8, Given::work);
            var worker = world.worker();

            Crowd.together(List.of(() -> asked(() -> worker.claim(4)), () -> markDead(worker)));

            assertThat(world.store().workers().describe(worker.session().id()).running()).isZero();
            assertThat(world.worker().take(8)).containsExactlyInAnyOrderElementsOf(works);
        }
    }

    @Test
    void whoever_is_given_work_by_hand_while_it_is_marked_dead_keeps_nothing() {
        for (int round = 0; round < 25; round++) {
            var work = world.submit();
            var worker = world.worker();

            Crowd.<Answer<?>>together(
                    List.of(() -> world.claimByHand(work, worker), () -> markDead(worker)));
            world.tick();

            assertThat(world.worker().take(2)).containsExactly(work);
        }
    }

    private Answer<WorkerView> markDead(ScenarioWorker worker) {
        return markDead(worker.session().id());
    }

    private Answer<WorkerView> markDead(SessionId session) {
        return asked(() -> world.store().workers().markDead(session, Scenario.OLGA));
    }

    private Event marked(ScenarioWorker worker) {
        return new Event.MarkedDead(worker.owner(), Namespace.DEFAULT, Scenario.OLGA, world.now());
    }
}
