package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.function.Supplier;

/** A graph that is built piece by piece behaves as one that is submitted at once. */
abstract class FlowExtendingRules extends Rules {
    FlowExtendingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private FlowPlay openFlow() {
        return FlowPlay.of(world, FlowSubmission.of("built").leftOpen());
    }

    @Test
    void a_flow_that_is_open_waits_for_more_and_ends_when_it_is_closed() {
        var flow = openFlow();
        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);

        flow.extend(flow.change().member(Member.of("a", work()))).orThrow();
        flow.complete("a");
        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        flow.extend(flow.change().closing()).orThrow();

        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void a_change_for_another_revision_is_refused() {
        var flow = openFlow();
        var late = flow.change().member(Member.of("late", work()));
        flow.extend(flow.change().member(Member.of("a", work()))).orThrow();
        var before = world.everything();

        assertThat(flow.extend(late)).isConflict(Conflict.Code.STALE_REVISION);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(flow.members()).hasSize(1);
    }

    @Test
    void the_same_change_again_gets_the_first_answer() {
        var flow = openFlow();
        var change = flow.change().member(Member.of("a", work()));
        var first = flow.extend(change).orThrow();
        var before = world.everything();

        assertThat(flow.extend(change)).isDone(first);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers("W15")
    void an_edge_from_a_member_that_has_ended_counts_at_once() {
        var flow = openFlow();
        flow.extend(
                        flow.change()
                                .member(Member.of("good", work()))
                                .member(Member.of("bad", work())))
                .orThrow();
        flow.complete("good");
        flow.fail("bad");

        flow.extend(
                        flow.change()
                                .member(Member.of("after", work()))
                                .edge(Edge.of("good", "after"))
                                .member(Member.of("never", work()))
                                .edge(Edge.of("bad", "never"))
                                .member(Member.of("nor", work()))
                                .edge(Edge.of("never", "nor")))
                .orThrow();

        assertThat(flow.claimable()).containsExactly("after");
        assertThat(flow.state("never")).isEqualTo(PublicState.SKIPPED);
        assertThat(flow.state("nor")).isEqualTo(PublicState.SKIPPED);
    }

    @Test
    @BatchAnswers({"P44", "P45"})
    void an_edge_into_a_member_that_waits_makes_it_wait_for_more() {
        var flow = openFlow();
        flow.extend(
                        flow.change()
                                .member(Member.of("a", work()))
                                .member(Member.of("b", work()))
                                .member(Member.of("end", work()))
                                .edge(Edge.of("a", "end")))
                .orThrow();
        flow.extend(flow.change().edge(Edge.of("b", "end"))).orThrow();

        flow.complete("a");
        assertThat(flow.state("end")).isEqualTo(PublicState.WAITING_CHILDREN);
        flow.complete("b");

        assertThat(flow.claimable()).containsExactly("end");
    }

    @Test
    void nothing_comes_before_what_has_what_it_needs() {
        var flow = openFlow();
        flow.extend(flow.change().member(Member.of("a", work())).member(Member.of("b", work())))
                .orThrow();
        var before = world.everything();

        assertThat(flow.extend(flow.change().edge(Edge.of("a", "b"))))
                .isConflict(Conflict.Code.MEMBER_BEGUN, flow.execution("b"));
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    @BatchAnswers("W14")
    void a_quorum_that_grows_is_decided_when_it_is_sealed() {
        var flow = openFlow();
        flow.extend(
                        flow.change()
                                .member(Member.of("a", work()))
                                .member(Member.of("end", work()).join(Join.anyOf()).unsealed())
                                .edge(Edge.of("a", "end")))
                .orThrow();
        flow.fail("a");
        assertThat(flow.state("end")).isEqualTo(PublicState.WAITING_CHILDREN);
        flow.extend(flow.change().member(Member.of("b", work())).edge(Edge.of("b", "end")))
                .orThrow();
        flow.complete("b");
        assertThat(flow.state("end")).isEqualTo(PublicState.WAITING_CHILDREN);

        flow.extend(flow.change().seal("end").closing()).orThrow();

        assertThat(flow.claimable()).containsExactly("end");
        flow.complete("end");
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
    }

    @Test
    void a_change_that_makes_a_cycle_is_refused_as_a_whole() {
        var flow = openFlow();
        flow.extend(
                        flow.change()
                                .member(Member.of("a", work()).unsealed())
                                .member(Member.of("b", work()))
                                .edge(Edge.of("a", "b")))
                .orThrow();
        var before = world.everything();

        assertThat(
                        flow.extend(
                                flow.change()
                                        .member(Member.of("c", work()))
                                        .edge(Edge.of("b", "c"))
                                        .edge(Edge.of("c", "a"))))
                .isInvalid(Invalid.Code.CYCLE);
        assertThat(flow.extend(flow.change().seal("nobody")))
                .isInvalid(Invalid.Code.UNKNOWN_MEMBER);
        assertThat(flow.extend(flow.change().member(Member.of("a", work()))))
                .isInvalid(Invalid.Code.DUPLICATE);

        assertThat(world.everything()).isEqualTo(before);
        assertThat(flow.members()).hasSize(2);
    }

    @Test
    @BatchAnswers("W15")
    void what_is_closed_ended_or_cancelled_takes_nothing_from_outside() {
        var closed = FlowPlay.of(world, FlowSubmission.of("closed").member("a", work()));
        var cancelled = openFlow();
        cancelled.extend(cancelled.change().member(Member.of("a", work()))).orThrow();
        cancelled.cancel(Mode.RECORD);

        for (var flow : List.of(closed, cancelled)) {
            assertThat(flow.extend(flow.change().member(Member.of("b", work()))))
                    .isConflict(Conflict.Code.FLOW_CLOSED);
        }
        var unknown = FlowExtension.of(FlowId.mint(Namespace.DEFAULT), 1);
        assertThat(closed.extend(unknown)).isNotFound("flow");
    }

    @Test
    void a_member_that_comes_with_what_it_needs_lets_go_of_the_others() {
        var flow = openFlow();
        flow.extend(flow.change().member(Member.of("a", work())).member(Member.of("b", work())))
                .orThrow();
        flow.complete("a");

        flow.extend(
                        flow.change()
                                .member(Member.of("first", work()).join(Join.anyOf()))
                                .edge(Edge.of("a", "first"))
                                .edge(Edge.of("b", "first")))
                .orThrow();

        assertThat(flow.claimable()).containsExactly("first");
        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);
    }

    @Test
    void a_flow_is_not_closed_while_a_member_waits_to_be_sealed() {
        var flow = openFlow();
        flow.extend(flow.change().member(Member.of("a", work()).unsealed())).orThrow();

        assertThat(flow.extend(flow.change().closing())).isInvalid(Invalid.Code.CONTRADICTORY);
        var closed =
                FlowSubmission.of("f").graph(List.of(Member.of("a", work()).unsealed()), List.of());
        assertThat(world.store().flows().submit(List.of(closed)).getFirst())
                .isInvalid(Invalid.Code.CONTRADICTORY);
    }

    @Test
    void a_flow_that_was_to_fail_fast_and_has_failed_takes_nothing_more() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("f")
                                .policy(FlowPolicy.DEFAULT.onFailure(OnFailure.FAIL_FAST))
                                .leftOpen()
                                .member("a", work()));
        flow.fail("a");

        assertThat(flow.extend(flow.change().member(Member.of("b", work()))))
                .isConflict(Conflict.Code.FLOW_CLOSED);
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
    }

    @Test
    void a_member_that_runs_adds_to_a_flow_that_is_closed() {
        var flow = FlowPlay.of(world, FlowSubmission.of("agent").member("plan", work()));
        var lease = flow.begin("plan");

        flow.extend(
                        flow.change()
                                .member(Member.of("search", work()))
                                .edge(Edge.of("plan", "search"))
                                .by(lease.fence()))
                .orThrow();
        world.end(Endings.complete(lease)).orThrow();

        assertThat(flow.claimable()).containsExactly("search");
        assertThat(flow.extend(flow.change().member(Member.of("more", work())).by(lease.fence())))
                .isLeaseLost();
        flow.complete("search");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }
}
