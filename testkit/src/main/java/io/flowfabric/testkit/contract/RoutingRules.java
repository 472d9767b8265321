package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Endings.complete;
import static io.flowfabric.testkit.contract.Endings.release;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.function.Supplier;

/** Rule 8: ready work that no live worker could take says so, and goes on when one comes. */
abstract class RoutingRules extends Rules {
    private static final Ready READY = new Ready(LeasePurpose.FIRST);
    private static final Duration TTL = Session.DEFAULT_TTL;

    RoutingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void work_that_needs_nothing_waits_for_the_first_worker_as_all_work_does() {
        var work = world.submit();

        assertThat(world.view(work)).reads(READY);
    }

    @Test
    void work_with_needs_says_that_nobody_is_there() {
        var work = needs("gpu", "torch>=2.3");

        assertThat(world.view(work))
                .reads(without("needs gpu, torch>=2.3; no live worker in lane default/default"));
        assertThat(world.view(work).state().publicState()).isEqualTo(PublicState.WAITING);
    }

    @Test
    void work_says_what_none_of_its_workers_has() {
        var work = needs("gpu", "torch>=2.3");
        offering("torch=2.4");
        offering("torch=2.2");
        offering("tpu");

        assertThat(world.view(work))
                .reads(
                        without(
                                "needs gpu, torch>=2.3; 3 live workers in lane default/default,"
                                        + " none has gpu"));
    }

    @Test
    @BatchAnswers("W42")
    void it_takes_one_worker_that_has_everything() {
        var work = needs("gpu", "tpu");
        offering("gpu");
        offering("tpu");

        assertThat(world.view(work))
                .reads(
                        without(
                                "needs gpu, tpu; 2 live workers in lane default/default, none has"
                                        + " all of it"));
        offering("gpu", "tpu");
        assertThat(world.view(work)).reads(READY);
    }

    @Test
    void a_kind_that_none_of_the_workers_handles_is_named() {
        var work = world.submit();
        world.worker(world.session(Lane.DEFAULT).kinds("print"));

        assertThat(world.view(work))
                .reads(
                        without(
                                "is of kind job; 1 live worker in lane default/default, which does"
                                        + " not handle it"));
        world.worker(world.session(Lane.DEFAULT).kinds("job"));
        assertThat(world.view(work)).reads(READY);
    }

    @Test
    void workers_of_other_lanes_and_other_namespaces_do_not_count() {
        var work = needs("gpu");
        world.worker(world.session(world.newLane()).offers(Capabilities.of("gpu")));
        var elsewhere = new Lane(Scenario.ELSEWHERE, Lane.DEFAULT.name());
        world.worker(world.session(elsewhere).offers(Capabilities.of("gpu")));

        assertThat(world.view(work))
                .reads(without("needs gpu; no live worker in lane default/default"));
    }

    @Test
    void a_worker_that_is_busy_counts() {
        needs("gpu");
        var worker = offering("gpu");
        worker.claimOne();

        assertThat(world.view(needs("gpu"))).reads(READY);
    }

    @Test
    @BatchAnswers("W42")
    void the_dead_do_not_count_even_before_anybody_has_noticed() {
        var work = needs("gpu");
        var closed = offering("gpu");
        var marked = offering("gpu");
        world.worker(world.session(Lane.DEFAULT).offers(Capabilities.of("gpu")));
        assertThat(world.view(work)).reads(READY);

        closed.close();
        world.store().workers().markDead(marked.session().id(), Scenario.OLGA);
        world.advance(TTL.minusMillis(1));
        assertThat(world.view(work)).reads(READY);

        world.advance(Duration.ofMillis(1));
        var nobody = without("needs gpu; no live worker in lane default/default");
        assertThat(world.view(work)).reads(nobody);
        world.tick();
        assertThat(world.view(work)).reads(nobody);
    }

    @Test
    void a_closed_lane_is_named_first() {
        var lane = world.newLane();
        var policy = Policy.DEFAULT.needs(Capabilities.of("gpu"));
        var work = world.submit(work(policy).lane(lane));
        world.configure(lane, LaneSettings.State.PAUSED);

        assertThat(world.view(work))
                .reads(new Blocked(BlockedBy.LANE, "lane %s is paused".formatted(lane), READY));

        world.configure(lane, LaneSettings.State.DRAINING);
        assertThat(world.view(work)).reads(without("needs gpu; no live worker in lane " + lane));
    }

    @Test
    void only_ready_work_waits_for_a_worker() {
        var needy = Policy.DEFAULT.needs(Capabilities.of("gpu"));
        var delayed = world.submit(needy.start(Due.in(Duration.ofMinutes(1))));
        var held = world.submit(needy);
        world.pause(held);
        var running = world.submit(needy);
        offering("gpu").claimOne();
        var done = world.submit(needy);
        var worker = offering("gpu");
        world.end(complete(worker.claimOne())).orThrow();
        world.store().sessions().close(worker.session().id());

        assertThat(situation(delayed)).isEqualTo(Situation.DELAYED);
        assertThat(situation(held)).isEqualTo(Situation.HELD_BY_OPERATOR);
        assertThat(situation(running)).isEqualTo(Situation.RUNNING);
        assertThat(situation(done)).isEqualTo(Situation.COMPLETED);
    }

    @Test
    void work_that_was_begun_waits_for_a_worker_as_well() {
        var work = needs("gpu");
        var worker = offering("gpu");
        world.end(release(worker.claimOne())).orThrow();
        worker.close();

        assertThat(world.view(work))
                .reads(
                        new Blocked(
                                BlockedBy.ROUTE,
                                "needs gpu; no live worker in lane default/default",
                                new Ready(LeasePurpose.CONTINUE)));
    }

    @Test
    void a_listing_says_the_same_of_each() {
        var gpu = needs("gpu");
        var paint = world.submit(Submission.of("paint", Payload.EMPTY));
        var lane = world.newLane();
        var elsewhere = world.submit(work(Policy.DEFAULT.needs(Capabilities.of("gpu"))).lane(lane));
        offering("tpu");
        world.worker(world.session(lane).offers(Capabilities.of("gpu")));

        var listed =
                world.store()
                        .queries()
                        .search(Search.in(lane.namespace()), Cursor.START, 10)
                        .items();

        assertThat(listed)
                .containsExactly(world.view(gpu), world.view(paint), world.view(elsewhere));
        assertThat(listed)
                .extracting(ExecutionView::state)
                .containsExactly(
                        without(
                                "needs gpu; 1 live worker in lane default/default, which lacks"
                                        + " gpu"),
                        READY,
                        READY);
    }

    @Test
    void a_capable_worker_that_registers_gets_the_work_at_once() {
        var first = needs("gpu");
        var second = needs("torch>=2.3");
        var unable = offering("torch=2.2");
        assertThat(unable.take(5)).isEmpty();
        assertThat(situation(first)).isEqualTo(Situation.WITHOUT_WORKER);
        assertThat(situation(second)).isEqualTo(Situation.WITHOUT_WORKER);

        var able = offering("gpu", "torch=2.3");

        assertThat(situation(first)).isEqualTo(Situation.READY);
        assertThat(situation(second)).isEqualTo(Situation.READY);
        assertThat(able.take(5)).containsExactly(first, second);
    }

    @Test
    void an_operator_acts_on_work_that_nobody_can_take_as_on_any_that_is_ready() {
        var leased = needs("gpu");
        var cancelled = needs("gpu");
        var worker = world.worker();

        assertThat(world.claimByHand(leased, worker)).isDone();
        world.cancel(cancelled);

        assertThat(world.view(leased)).isHeldBy(worker);
        assertThat(situation(cancelled)).isEqualTo(Situation.CANCELLED);
    }

    private Situation situation(ExecutionId work) {
        return world.view(work).state().situation();
    }

    private static Blocked without(String why) {
        return new Blocked(BlockedBy.ROUTE, why, READY);
    }

    private ExecutionId needs(String... capabilities) {
        return world.submit(Policy.DEFAULT.needs(Capabilities.of(capabilities)));
    }

    private ScenarioWorker offering(String... capabilities) {
        return world.worker(
                world.session(Lane.DEFAULT)
                        .offers(Capabilities.of(capabilities))
                        .ttl(Duration.ofHours(1)));
    }
}
