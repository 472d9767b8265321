package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.idOf;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** An execution that awaits a flow below it holds nothing, and goes on when the flow has ended. */
abstract class FlowAwaitingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    FlowAwaitingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private static FlowSubmission below(Lease parent, String name) {
        return FlowSubmission.of("children")
                .member("a", work())
                .member("b", work(), "a")
                .below(idOf(parent), name);
    }

    private FlowPlay submitted(Lease parent, String name) {
        return FlowPlay.of(world, below(parent, name));
    }

    private Answer<Ended> await(Lease lease, FlowId flow) {
        return world.end(new Ending.Await(lease.fence(), flow));
    }

    private FlowPlay awaited(Lease lease) {
        var flow = submitted(lease, "children");
        await(lease, flow.id()).orThrow();
        return flow;
    }

    @Test
    void
            an_execution_that_awaits_a_flow_holds_no_lease_and_goes_on_with_its_attempt_when_it_has_ended() {
        var lease = world.begun();
        var flow = submitted(lease, "children");

        assertThat(await(lease, flow.id()).orThrow().transition()).isEqualTo(Transition.AWAIT);

        assertThat(world.view(lease)).isUnowned();
        assertThat(world.view(lease).state().situation()).isEqualTo(Situation.AWAITING_CHILDREN);
        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.WAITING_CHILDREN);
        flow.complete("a");
        assertThat(world.view(lease).state().situation()).isEqualTo(Situation.AWAITING_CHILDREN);
        flow.complete("b");
        assertThat(world.view(lease)).reads(new Ready(LeasePurpose.CONTINUE));
        var again = world.worker(lease.lane()).claimOne();
        assertThat(idOf(again)).isEqualTo(idOf(lease));
        assertThat(again.fence().attempt()).isEqualTo(lease.fence().attempt());
        assertThat(world.transitions(idOf(lease)))
                .containsSubsequence(Transition.AWAIT, Transition.SATISFY, Transition.CLAIM);
    }

    @Test
    void an_execution_that_awaits_a_flow_that_has_ended_goes_on_at_once() {
        var lease = world.begun();
        var flow = submitted(lease, "children");
        flow.complete("a");
        flow.complete("b");

        assertThat(await(lease, flow.id()).isDone()).isTrue();

        assertThat(world.view(lease)).reads(new Ready(LeasePurpose.CONTINUE));
    }

    @Test
    void it_goes_on_as_well_when_the_flow_has_failed_or_was_cancelled() {
        var one = world.begun();
        var failed = awaited(one);
        failed.fail("a");
        assertThat(failed.state()).isEqualTo(FlowState.FAILED);
        assertThat(world.view(one)).reads(new Ready(LeasePurpose.CONTINUE));

        world.cancel(idOf(one));
        var other = world.begun();
        var cancelled = awaited(other);
        cancelled.cancel(Mode.ALL);
        assertThat(world.view(other)).reads(new Ready(LeasePurpose.CONTINUE));
    }

    @Test
    void an_execution_that_goes_on_after_a_crash_submits_and_awaits_the_same_flow() {
        var worker = world.frailWorker();
        world.submit();
        var lease = worker.claimOne();
        var flow = submitted(lease, "children");
        world.bury(worker);

        var again = world.worker().claimOne();
        var submitted = world.store().flows().submit(below(again, "children"));

        assertThat(submitted.created()).isFalse();
        assertThat(submitted.id()).isEqualTo(flow.id());
        assertThat(await(again, flow.id()).isDone()).isTrue();
        assertThat(flow.view().parent()).contains(idOf(lease));
    }

    @Test
    void one_waits_for_one_flow_at_a_time_whichever_else_ends() {
        var lease = world.begun();
        var first = submitted(lease, "first");
        var second = submitted(lease, "second");
        await(lease, second.id()).orThrow();

        first.complete("a");
        first.complete("b");

        assertThat(world.view(lease).state().situation()).isEqualTo(Situation.AWAITING_CHILDREN);
        second.complete("a");
        second.complete("b");
        assertThat(world.view(lease)).reads(new Ready(LeasePurpose.CONTINUE));
    }

    @Test
    void only_flows_below_it_can_be_awaited() {
        var lease = world.begun();
        var foreign = submitted(world.begun(), "children");
        var alone = FlowPlay.of(world, FlowSubmission.of("alone").member("a", work()));
        var elsewhere = new Namespace("elsewhere");
        var distant =
                FlowPlay.of(
                        world,
                        FlowSubmission.of(elsewhere, "distant")
                                .member("a", work().lane(new Lane(elsewhere, "far")))
                                .below(idOf(lease), "distant"));

        assertThat(await(lease, foreign.id())).isInvalid(Invalid.Code.CONTRADICTORY);
        assertThat(await(lease, alone.id())).isInvalid(Invalid.Code.CONTRADICTORY);
        assertThat(await(lease, distant.id()))
                .isInvalid(Invalid.Code.CONTRADICTORY)
                .says("elsewhere");
        assertThat(await(lease, FlowId.below(idOf(lease), "none"))).isNotFound("flow");
        assertThat(world.view(lease).state().situation()).isEqualTo(Situation.RUNNING);
    }

    @Test
    void a_lease_that_is_lost_awaits_nothing() {
        var lease = world.begun();
        var flow = submitted(lease, "children");
        world.revoke(idOf(lease));

        assertThat(await(lease, flow.id())).isLeaseLost();
        assertThat(world.view(lease).state().situation()).isEqualTo(Situation.READY);
    }

    @Test
    void awaiting_again_gets_the_first_answer() {
        var lease = world.begun();
        var flow = submitted(lease, "children");
        var first = await(lease, flow.id()).orThrow();

        assertThat(await(lease, flow.id()).orThrow()).isEqualTo(first);
        flow.complete("a");
        flow.complete("b");
        assertThat(await(lease, flow.id()).orThrow()).isEqualTo(first);
        assertThat(world.end(Endings.complete(lease))).isRefused();
    }

    @Test
    void of_many_that_await_in_one_call_each_waits_for_its_own_flow() {
        world.submit(3, Given::work);
        var leases = world.worker().claim(3);
        var flows = leases.stream().map(lease -> submitted(lease, "children")).toList();
        var endings =
                List.<Ending>of(
                        new Ending.Await(leases.get(0).fence(), flows.get(0).id()),
                        Endings.complete(leases.get(1)),
                        new Ending.Await(leases.get(2).fence(), flows.get(2).id()));

        world.store().leases().end(endings).forEach(Answer::orThrow);
        flows.get(2).complete("a");
        flows.get(2).complete("b");

        assertThat(world.view(leases.get(0)).state().situation())
                .isEqualTo(Situation.AWAITING_CHILDREN);
        assertThat(world.view(leases.get(1)).state().situation()).isEqualTo(Situation.COMPLETED);
        assertThat(world.view(leases.get(2))).reads(new Ready(LeasePurpose.CONTINUE));
    }

    @Test
    void the_end_of_an_execution_that_awaits_a_flow_cancels_it() {
        var lease = world.begun();
        var flow = awaited(lease);
        var begun = flow.begin("a");

        world.cancel(idOf(lease));

        assertThat(flow.state()).isEqualTo(FlowState.CANCELLED);
        assertThat(flow.state("a")).isEqualTo(PublicState.CANCELLED);
        assertThat(world.end(Endings.complete(begun))).isLeaseLost();
        assertThat(flow.view().cancelled().orElseThrow().by().reason())
                .isEqualTo("the execution that awaited it has ended");
    }

    @Test
    void a_deadline_ends_the_wait_and_the_flow() {
        var lease = world.begun(Policy.DEFAULT.deadline(Due.in(MINUTE)));
        var flow = awaited(lease);

        world.advance(MINUTE);
        world.tick();

        assertThat(world.view(lease).state().publicState()).isEqualTo(PublicState.EXPIRED);
        assertThat(flow.state()).isEqualTo(FlowState.CANCELLED);
    }

    @Test
    void a_flow_that_is_not_awaited_outlives_what_it_is_below() {
        var lease = world.begun();
        var flow = submitted(lease, "children");

        world.end(Endings.complete(lease)).orThrow();

        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        flow.complete("a");
        flow.complete("b");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void members_may_await_flows_of_their_own_and_what_ends_the_outer_one_ends_all() {
        var outer = FlowPlay.of(world, FlowSubmission.of("outer").member("m", work()));
        var member = outer.begin("m");
        var inner = awaited(member);
        var grandchild = inner.begin("a");
        var innermost = awaited(grandchild);

        assertThat(outer.state("m")).isEqualTo(PublicState.WAITING_CHILDREN);
        outer.cancel(Mode.ALL);

        assertThat(outer.state()).isEqualTo(FlowState.CANCELLED);
        assertThat(inner.state()).isEqualTo(FlowState.CANCELLED);
        assertThat(innermost.state()).isEqualTo(FlowState.CANCELLED);
    }

    @Test
    void nested_flows_complete_from_the_inside_out() {
        var outer =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("outer").member("m", work()).member("n", work(), "m"));
        var inner = awaited(outer.begin("m"));
        inner.complete("a");
        inner.complete("b");

        assertThat(outer.claimable()).containsExactly("m");
        outer.complete("m");
        assertThat(outer.claimable()).containsExactly("n");
    }

    @Test
    void the_end_of_a_flow_below_a_member_does_not_end_its_wait_for_other_members() {
        var outer =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("outer")
                                .member("first", work())
                                .member("m", work(), "first"));
        var inner =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("children")
                                .member("a", work())
                                .below(outer.execution("m"), "children"));

        inner.complete("a");

        assertThat(inner.state()).isEqualTo(FlowState.COMPLETED);
        assertThat(outer.state("m")).isEqualTo(PublicState.WAITING_CHILDREN);
        assertThat(outer.claimable()).containsExactly("first");
    }

    /**
     * A name for a flow below an execution, by which its id is before or behind that of another.
     */
    private static String nameFor(Lease parent, FlowId other, boolean before) {
        return IntStream.iterate(0, n -> n + 1)
                .mapToObj(n -> "children-" + n)
                .filter(name -> isBefore(FlowId.below(idOf(parent), name), other) == before)
                .findFirst()
                .orElseThrow();
    }

    private static boolean isBefore(FlowId one, FlowId other) {
        return one.toString().compareTo(other.toString()) < 0;
    }

    private void failsBesideTheLastChild(boolean outerFirst, boolean innerIdBefore) {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("outer")
                                .policy(FlowPolicy.DEFAULT.onFailure(OnFailure.FAIL_FAST))
                                .member("m", work())
                                .member("other", work()));
        var member = flow.begin("m");
        var inner =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("children")
                                .member("a", work())
                                .below(idOf(member), nameFor(member, flow.id(), innerIdBefore)));
        await(member, inner.id()).orThrow();
        var failing = Endings.fail(flow.begin("other"));
        var last = Endings.complete(inner.begin("a"));

        world.store().leases().end(outerFirst ? List.of(failing, last) : List.of(last, failing));

        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
        assertThat(flow.state("m")).isEqualTo(PublicState.SKIPPED);
        assertThat(world.worker().claim(8)).isEmpty();
    }

    @Test
    void what_its_own_flow_skips_does_not_go_on_when_the_awaited_one_ends_in_the_same_call() {
        for (boolean outerFirst : List.of(true, false)) {
            for (boolean innerIdBefore : List.of(true, false)) {
                failsBesideTheLastChild(outerFirst, innerIdBefore);
            }
        }
    }

    @Test
    void an_explanation_names_the_flow_that_is_awaited() {
        var lease = world.begun();
        var flow = awaited(lease);

        assertThat(world.explain(idOf(lease)).toString()).contains(flow.id().toString());
    }

    @Test
    void a_member_that_awaits_a_flow_is_not_explained_by_those_before_it() {
        var outer =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("outer")
                                .member("first", work())
                                .member("m", work(), "first"));
        outer.complete("first");
        var inner = awaited(outer.begin("m"));

        var explained = world.explain(outer.execution("m"));

        assertThat(explained.toString()).contains(inner.id().toString());
        assertThat(explained.facts(Fact.PendingUpstreams.class)).isEmpty();
    }
}
