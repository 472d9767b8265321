package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.Fact.PendingUpstreams;
import io.flowfabric.core.query.Fact.PendingUpstreams.PendingMember;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Why a member of a flow is not running: the members that it waits for. */
abstract class FlowExplainingRules extends Rules {
    FlowExplainingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private FlowPlay joined(Join join) {
        return FlowPlay.of(
                world,
                FlowSubmission.of("joined")
                        .member("a", work())
                        .member("b", work())
                        .member("c", work())
                        .member("end", work(), join, "a", "b", "c"));
    }

    private String words(FlowPlay flow, String member) {
        return world.explain(flow.execution(member)).words();
    }

    @Test
    void a_member_that_waits_names_those_it_waits_for_and_what_they_are() {
        var flow = joined(Join.ALL_OF);
        flow.complete("a");
        flow.begin("c");

        var explanation = world.explain(flow.execution("end"));

        assertThat(explanation.words()).isEqualTo("waits for b (waiting), c (active)");
        assertThat(explanation.reason()).isEqualTo(BlockingReason.WAITING_FOR_CHILDREN);
        assertThat(explanation.nextTry()).isEmpty();
        assertThat(explanation.facts())
                .containsExactly(
                        new PendingUpstreams(
                                2,
                                List.of(
                                        new PendingMember("b", PublicState.WAITING),
                                        new PendingMember("c", PublicState.ACTIVE)),
                                0,
                                0,
                                false),
                        new Fact.Step(Transition.SUBMIT, world.now(), Optional.empty()));
    }

    @Test
    void a_member_that_needs_some_says_how_many_more_and_what_it_cannot_have() {
        var flow = joined(Join.quorum(2));
        assertThat(words(flow, "end"))
                .isEqualTo("waits for 2 of a (waiting), b (waiting), c (waiting)");

        flow.complete("b");
        assertThat(words(flow, "end")).isEqualTo("waits for 1 of a (waiting), c (waiting)");

        flow.fail("a");
        assertThat(words(flow, "end"))
                .isEqualTo("waits for c (waiting); 1 of those before it did not succeed");
    }

    @Test
    void what_waits_behind_others_that_wait_says_so() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("chain")
                                .member(
                                        "a",
                                        work().policy(
                                                        Policy.DEFAULT.start(
                                                                Due.in(Duration.ofHours(1)))))
                                .member("b", work(), "a")
                                .member("c", work(), "b"));

        assertThat(words(flow, "b")).isEqualTo("waits for a (delayed)");
        assertThat(words(flow, "c")).isEqualTo("waits for b (waiting_children)");
    }

    @Test
    void an_unsealed_member_says_that_it_waits_to_be_sealed() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("open")
                                .leftOpen()
                                .graph(
                                        List.of(
                                                Member.of("a", work()),
                                                Member.of("end", work()).unsealed()),
                                        List.of(Edge.of("a", "end"))));
        assertThat(words(flow, "end")).isEqualTo("waits to be sealed, and for a (waiting)");

        flow.complete("a");

        assertThat(words(flow, "end")).isEqualTo("waits to be sealed");
    }

    @Test
    void of_many_the_first_that_have_not_ended_are_named_and_the_others_counted() {
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < 300; n++) {
            members.add(Member.of("m" + n, work()));
            edges.add(Edge.of("m" + n, "end"));
        }
        members.add(Member.of("end", work()));
        var flow = FlowPlay.of(world, FlowSubmission.of("many").graph(members, edges));
        var end = flow.execution("end");
        assertThat(pending(flow)).hasSize(300);
        assertThat(world.explain(end).words()).endsWith(", m19 (waiting) and 280 more");

        world.store()
                .leases()
                .end(flow.worker().claim(256).stream().<Ending>map(Endings::complete).toList())
                .forEach(Answer::orThrow);

        assertThat(world.explain(end).facts(PendingUpstreams.class))
                .containsExactly(
                        new PendingUpstreams(
                                44, pending(flow).subList(0, PendingUpstreams.MOST), 24, 0, false));
    }

    private static List<PendingMember> pending(FlowPlay flow) {
        return flow.members().stream()
                .filter(member -> member.state() == PublicState.WAITING)
                .map(member -> new PendingMember(member.name(), member.state()))
                .toList();
    }

    @Test
    void what_has_all_it_needs_or_is_in_no_flow_waits_for_no_other() {
        var flow = joined(Join.anyOf().letRun());
        flow.complete("a");

        for (var execution : List.of(flow.execution("end"), flow.execution("b"), world.submit())) {
            assertThat(world.explain(execution).facts(PendingUpstreams.class)).isEmpty();
        }
        flow.complete("end");
        assertThat(world.explain(flow.execution("end")).facts(PendingUpstreams.class)).isEmpty();
    }

    @Test
    void a_replay_lets_those_behind_it_wait_for_it_again() {
        var flow =
                FlowPlay.of(
                        world, FlowSubmission.of("f").member("a", work()).member("b", work(), "a"));
        flow.fail("a");

        world.act(new OperatorCommand.Replay(flow.execution("a"))).orThrow();

        assertThat(words(flow, "b")).isEqualTo("waits for a (waiting)");
    }
}
