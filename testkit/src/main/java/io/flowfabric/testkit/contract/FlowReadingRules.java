package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Flows.FlowFilter;
import io.flowfabric.core.flow.Flows.Membership;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.MemberFilter;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** What can be read of flows. */
abstract class FlowReadingRules extends Rules {
    FlowReadingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private FlowPlay diamond() {
        return FlowPlay.of(
                world,
                FlowSubmission.of("diamond")
                        .input(Payload.text("about"))
                        .tag("team", "x")
                        .creator("ada")
                        .member("top", work())
                        .member("left", work(), "top")
                        .member("right", work(), "top")
                        .member("bottom", work(), Join.quorum(2), "left", "right"));
    }

    @Test
    void a_flow_says_what_it_is() {
        var flow = diamond();
        var view = flow.view();

        assertThat(view.kind()).isEqualTo("diamond");
        assertThat(view.creator()).isEqualTo("ada");
        assertThat(view.tags().values()).containsEntry("team", "x");
        assertThat(view.submitted()).isEqualTo(world.now());
        assertThat(view.revision()).isEqualTo(1);
        assertThat(world.store().flows().inputs(List.of(flow.id())).getFirst())
                .isDone(Payload.text("about"));
        assertThat(
                        world.store()
                                .flows()
                                .describe(List.of(FlowId.mint(Namespace.DEFAULT)))
                                .getFirst())
                .isNotFound("flow");
    }

    @Test
    void members_are_listed_in_their_order_with_states_and_times() {
        var flow = diamond();
        world.advance(Duration.ofSeconds(1));
        var began = world.now();
        flow.complete("top");
        world.advance(Duration.ofSeconds(1));
        flow.complete("left");

        assertThat(flow.members())
                .extracting(MemberView::name)
                .containsExactly("top", "left", "right", "bottom");
        var left = flow.member("left");
        assertThat(left.state()).isEqualTo(PublicState.COMPLETED);
        assertThat(left.ready()).contains(began);
        assertThat(left.ended()).contains(world.now());
        assertThat(flow.member("bottom").met()).isEqualTo(1);
        assertThat(flow.member("bottom").edges()).isEqualTo(2);
        assertThat(flow.member("bottom").join()).isEqualTo(Join.quorum(2));
    }

    @Test
    void edges_are_listed_from_page_to_page() {
        var flow = diamond();

        assertThat(Everything.pages(after -> world.store().flows().edges(flow.id(), after, 3)))
                .containsExactly(
                        Edge.of("top", "left"),
                        Edge.of("top", "right"),
                        Edge.of("left", "bottom"),
                        Edge.of("right", "bottom"));
    }

    @Test
    void a_member_reads_what_those_before_it_produced() {
        var flow = diamond();
        flow.complete("top", Payload.text("made by top"));
        flow.fail("left");

        assertThat(flow.upstreams("left"))
                .containsExactly(
                        new Upstream(
                                "top",
                                Optional.of(Outcome.SUCCESS),
                                Optional.of(Payload.text("made by top"))));
        assertThat(flow.upstreams("bottom"))
                .containsExactly(
                        new Upstream("left", Optional.of(Outcome.FAILED), Optional.empty()),
                        new Upstream("right", Optional.of(Outcome.SKIPPED), Optional.empty()));
        assertThat(flow.upstreams("top")).isEmpty();
    }

    @Test
    void an_execution_knows_its_flow() {
        var flow = diamond();
        var solo = world.submit();

        assertThat(world.store().flows().membership(flow.execution("left")))
                .contains(new Membership(flow.id(), "left"));
        assertThat(world.store().flows().membership(solo)).isEmpty();
        assertThat(Given.asked(() -> world.store().flows().membership(ExecutionId.mint())))
                .isNotFound("execution");
    }

    @Test
    void flows_are_listed_newest_first_by_state_and_kind() {
        var first = FlowPlay.of(world, FlowSubmission.of("x").member("a", work()));
        var second = FlowPlay.of(world, FlowSubmission.of("y").member("a", work()));
        var third = FlowPlay.of(world, FlowSubmission.of("x").member("a", work()));
        first.complete("a");

        assertThat(list(FlowFilter.of(Namespace.DEFAULT)))
                .containsExactly(third.id(), second.id(), first.id());
        assertThat(list(FlowFilter.of(Namespace.DEFAULT).kind("x")))
                .containsExactly(third.id(), first.id());
        assertThat(list(FlowFilter.of(Namespace.DEFAULT).states(FlowState.COMPLETED)))
                .containsExactly(first.id());
        assertThat(list(FlowFilter.of(new Namespace("other")))).isEmpty();
    }

    private List<FlowId> list(FlowFilter filter) {
        return Everything.pages(after -> world.store().flows().list(filter, after, 2)).stream()
                .map(FlowView::id)
                .toList();
    }

    @Test
    void the_critical_path_leads_through_what_was_waited_for() {
        var flow = diamond();
        pass(1);
        flow.complete("top");
        pass(2);
        flow.complete("left");
        pass(3);

        var running = world.store().flows().criticalPath(flow.id());
        assertThat(running.names()).containsExactly("top", "right");
        assertThat(running.stages().getLast().took(world.now())).isEqualTo(seconds(5));

        flow.complete("right");
        pass(4);
        flow.complete("bottom");

        var path = world.store().flows().criticalPath(flow.id());
        assertThat(path.names()).containsExactly("top", "right", "bottom");
        assertThat(path.stages())
                .extracting(stage -> stage.took(world.now()))
                .containsExactly(seconds(1), seconds(5), seconds(4));
        assertThat(path.stages())
                .allSatisfy(stage -> assertThat(stage.waited(world.now())).isZero());
    }

    @Test
    void the_critical_path_leads_through_what_decided_a_join() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("race")
                                .member("slow", work())
                                .member("quick", work())
                                .member("broken", work())
                                .member("end", work(), Join.anyOf(), "slow", "quick", "broken")
                                .member("after", work(), "broken"));
        pass(1);
        flow.fail("broken");
        pass(1);
        flow.complete("quick");
        pass(1);
        flow.complete("end");

        assertThat(world.store().flows().criticalPath(flow.id()).names())
                .containsExactly("quick", "end");
    }

    private void pass(int seconds) {
        world.advance(seconds(seconds));
    }

    private static Duration seconds(int count) {
        return Duration.ofSeconds(count);
    }

    @Test
    void a_flow_without_members_has_no_critical_path() {
        var flow = FlowPlay.of(world, FlowSubmission.of("empty"));

        assertThat(world.store().flows().criticalPath(flow.id()).stages()).isEmpty();
    }

    @Test
    void members_are_found_by_state_and_by_the_beginning_of_their_names() {
        var submission = FlowSubmission.of("many");
        for (int n = 0; n < 12; n++) {
            submission = submission.member((n % 2 == 0 ? "even-" : "odd-") + n, work());
        }
        var flow = FlowPlay.of(world, submission);
        flow.complete("even-2", "odd-3", "even-8");

        assertThat(found(flow, MemberFilter.ALL)).hasSize(12);
        assertThat(found(flow, MemberFilter.ALL.states(PublicState.COMPLETED)))
                .containsExactly("even-2", "odd-3", "even-8");
        var waiting = MemberFilter.ALL.states(PublicState.WAITING, PublicState.FAILED);
        assertThat(found(flow, waiting.prefix("even-")))
                .containsExactly("even-0", "even-4", "even-6", "even-10");
        assertThat(found(flow, MemberFilter.ALL.prefix("none"))).isEmpty();
    }

    private List<String> found(FlowPlay flow, MemberFilter filter) {
        return Everything.pages(after -> world.store().flows().search(flow.id(), filter, after, 2))
                .stream()
                .map(MemberView::name)
                .toList();
    }

    @Test
    void a_flow_is_drawn_as_it_is() {
        var flow = diamond();
        pass(3);
        flow.complete("top");

        assertThat(world.store().flows().diagram(flow.id()).lines().map(String::strip))
                .contains(
                        "subgraph flow[\"diamond: running\"]",
                        "m0[\"top<br/>completed, 3s\"]:::completed",
                        "m1[\"left<br/>waiting\"]:::waiting",
                        "m3{{\"bottom<br/>2 of 2<br/>waiting_children\"}}:::waiting_children",
                        "m0 ==> m1",
                        "m0 --> m2");
    }

    @Test
    void what_is_unknown_can_neither_be_searched_nor_drawn() {
        var flows = world.store().flows();
        var unknown = FlowId.mint(Namespace.DEFAULT);

        assertThat(Given.asked(() -> flows.criticalPath(unknown))).isNotFound("flow");
        assertThat(Given.asked(() -> flows.diagram(unknown))).isNotFound("flow");
        assertThat(Given.asked(() -> flows.search(unknown, MemberFilter.ALL, Cursor.START, 1)))
                .isNotFound("flow");
    }

    @Test
    void pages_have_limits() {
        var flow = diamond();

        assertThat(Given.asked(() -> world.store().flows().members(flow.id(), Cursor.START, 0)))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
        assertThat(
                        Given.asked(
                                () ->
                                        world.store()
                                                .flows()
                                                .search(
                                                        flow.id(),
                                                        MemberFilter.ALL,
                                                        Cursor.START,
                                                        0)))
                .isInvalid(Invalid.Code.OUT_OF_RANGE);
    }

    @Test
    void a_flow_is_forgotten_after_its_members() {
        var flow = FlowPlay.of(world, FlowSubmission.of("f").member("a", work()));
        flow.complete("a");
        world.advance(Duration.ofDays(8));

        world.tick(Chore.RETENTION, 1000);
        world.tick(Chore.RETENTION, 1000);

        assertThat(world.store().flows().describe(List.of(flow.id())).getFirst())
                .isNotFound("flow");
    }

    @Test
    void a_flow_outlives_members_that_were_erased() {
        var flow =
                FlowPlay.of(
                        world, FlowSubmission.of("f").member("a", work()).member("b", work(), "a"));
        var execution = flow.execution("a");
        flow.complete("a");

        world.store().operations().erase(List.of(execution), Scenario.OLGA).getFirst().orThrow();

        assertThat(flow.state("a")).isEqualTo(PublicState.COMPLETED);
        assertThat(flow.upstreams("b"))
                .containsExactly(new Upstream("a", Optional.of(Outcome.SUCCESS), Optional.empty()));
        flow.complete("b");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }
}
