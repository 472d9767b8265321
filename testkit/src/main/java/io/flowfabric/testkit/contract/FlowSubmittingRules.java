package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.SubmittedFlow;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/** A graph is accepted or refused as a whole. */
abstract class FlowSubmittingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    FlowSubmittingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private Answer<SubmittedFlow> offer(FlowSubmission flow) {
        return world.store().flows().submit(List.of(flow)).getFirst();
    }

    private void assertRefused(FlowSubmission flow, Invalid.Code code, String... words) {
        var before = world.everything();
        var answer = offer(flow);
        assertThat(answer).isInvalid(code);
        for (String word : words) {
            assertThat(answer).says(word);
        }
        assertThat(world.everything()).isEqualTo(before);
        assertThat(world.store().flows().describe(List.of(flow.id())).getFirst())
                .isNotFound("flow");
    }

    @Test
    @BatchAnswers({"P44", "P45"})
    void members_that_need_nothing_are_ready_and_the_others_wait() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("publish")
                                .member("video", work())
                                .member("captions", work())
                                .member("release", work(), "video", "captions"));

        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        assertThat(flow.state("release")).isEqualTo(PublicState.WAITING_CHILDREN);
        assertThat(flow.claimable()).containsExactly("captions", "video");
        assertThat(flow.view().tally().live()).isEqualTo(3);
    }

    @Test
    void the_same_flow_again_is_the_same_flow() {
        var flow = FlowSubmission.of("publish").member("a", work()).member("b", work(), "a");

        assertThat(offer(flow)).isDone(new SubmittedFlow(flow.id(), true));
        var before = world.everything();
        assertThat(offer(flow)).isDone(new SubmittedFlow(flow.id(), false));
        assertThat(world.everything()).isEqualTo(before);
        assertThat(offer(flow.member("c", work()))).isConflict(Conflict.Code.ID_TAKEN);
        assertThat(offer(flow.input(Payload.text("other")))).isConflict(Conflict.Code.ID_TAKEN);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_key_is_the_same_flow_whoever_makes_it() {
        var first = FlowSubmission.of("nightly").key("2026-11-18").member("a", work());
        var second = FlowSubmission.of("nightly").key("2026-11-18").member("a", work());
        var other = FlowSubmission.of("nightly").key("2026-11-19").member("a", work());

        assertThat(offer(first)).isDone(new SubmittedFlow(first.id(), true));
        assertThat(offer(second)).isDone(new SubmittedFlow(first.id(), false));
        assertThat(offer(other)).isDone(new SubmittedFlow(other.id(), true));
    }

    @Test
    @BatchAnswers("P48")
    void a_cycle_is_refused_and_named() {
        var flow =
                FlowSubmission.of("round")
                        .member("start", work())
                        .member("a", work(), "start", "c")
                        .member("b", work(), "a")
                        .member("c", work(), "b");

        assertRefused(flow, Invalid.Code.CYCLE, "a -> b", "b -> c", "c -> a");
    }

    @Test
    void what_a_flow_does_not_have_cannot_come_before_anything() {
        assertRefused(
                FlowSubmission.of("f").member("a", work(), "nothing"),
                Invalid.Code.UNKNOWN_MEMBER,
                "nothing");
    }

    @Test
    void names_ids_and_edges_are_used_once() {
        var same = work();
        assertRefused(
                FlowSubmission.of("f").member("a", work()).member("a", work()),
                Invalid.Code.DUPLICATE,
                "a");
        assertRefused(
                FlowSubmission.of("f").member("a", same).member("b", same),
                Invalid.Code.DUPLICATE,
                same.id().toString());
        assertRefused(
                FlowSubmission.of("f").member("a", work()).member("b", work(), "a", "a"),
                Invalid.Code.DUPLICATE,
                "b",
                "a");
    }

    @Test
    void a_quorum_that_can_never_be_had_is_refused() {
        assertRefused(
                FlowSubmission.of("f").member("a", work()).member("b", work(), Join.quorum(2), "a"),
                Invalid.Code.IMPOSSIBLE_QUORUM,
                "b");
        assertRefused(
                FlowSubmission.of("f").member("b", work(), Join.anyOf()),
                Invalid.Code.IMPOSSIBLE_QUORUM,
                "b");
    }

    @Test
    void a_graph_that_is_too_large_is_refused() {
        var members =
                IntStream.rangeClosed(0, 10_000).mapToObj(n -> Member.of("m" + n, work())).toList();

        assertRefused(
                FlowSubmission.of("f").graph(members, List.of()), Invalid.Code.TOO_MANY, "members");
    }

    @Test
    void a_member_that_would_be_refused_refuses_the_flow() {
        var closed = Lane.of("closed");
        world.configure(closed, LaneSettings.State.DISABLED);
        var taken = world.submit();
        var before = world.everything();

        assertThat(
                        offer(
                                FlowSubmission.of("f")
                                        .member("a", work())
                                        .member("b", work().lane(closed))))
                .isDenied(Denied.Code.LANE_CLOSED);
        assertThat(
                        offer(
                                FlowSubmission.of("f")
                                        .member("a", work())
                                        .member("b", work(Policy.DEFAULT.quota("missing")))))
                .isNotFound("quota");
        assertThat(offer(FlowSubmission.of("f").member("a", work()).member("b", work().id(taken))))
                .isConflict(Conflict.Code.ID_TAKEN);
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void one_flow_that_is_refused_is_no_matter_of_the_others() {
        var good = FlowSubmission.of("good").member("a", work());
        var bad = FlowSubmission.of("bad").member("a", work(), "a2");

        var answers = world.store().flows().submit(List.of(bad, good));

        assertThat(answers.getFirst()).isInvalid(Invalid.Code.UNKNOWN_MEMBER);
        assertThat(answers.getLast()).isDone(new SubmittedFlow(good.id(), true));
    }

    @Test
    void a_flow_without_members_is_completed_at_once() {
        var flow = FlowPlay.of(world, FlowSubmission.of("nothing"));

        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
        assertThat(flow.view().ended()).contains(world.now());
    }

    @Test
    @BatchAnswers("W15")
    void a_delay_of_a_member_is_kept_while_it_waits() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("b", work(Policy.DEFAULT.start(Due.in(MINUTE))), "a"));
        flow.complete("a");

        assertThat(flow.state("b")).isEqualTo(PublicState.DELAYED);
        assertThat(flow.claimable()).isEmpty();
        world.pass(MINUTE);
        assertThat(flow.claimable()).containsExactly("b");
    }

    @Test
    void what_a_flow_counts_against_its_members_count_against() {
        world.store().quotas().define(Quota.atOnce("one", 1), Scenario.OLGA);
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("f")
                                .policy(FlowPolicy.DEFAULT.quota(QuotaUse.of("one")))
                                .member("a", work())
                                .member("b", work()));

        assertThat(flow.claimable()).hasSize(1);
    }

    @Test
    void a_flow_lives_in_its_namespace_with_its_members() {
        var tenant = new Namespace("tenant");
        var flow = FlowSubmission.of(tenant, "f").member("a", work()).member("b", work(), "a");
        assertThat(offer(flow)).isDone();

        var worker = world.worker(new Lane(tenant, Lane.DEFAULT.name()));
        var lease = worker.claimOne();
        assertThat(lease.lane().namespace()).isEqualTo(tenant);
        world.end(Endings.complete(lease)).orThrow();
        world.end(Endings.complete(worker.claimOne())).orThrow();

        assertThat(world.store().flows().describe(List.of(flow.id())).getFirst().orThrow().state())
                .isEqualTo(FlowState.COMPLETED);
        assertThat(
                        offer(
                                FlowSubmission.of(tenant, "f")
                                        .graph(List.of(Member.of("a", work())), List.of())))
                .isInvalid(Invalid.Code.CONTRADICTORY);
    }

    @Test
    void an_edge_that_counts_on_completion_is_one_edge() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("f")
                                .graph(
                                        List.of(Member.of("a", work()), Member.of("b", work())),
                                        List.of(new Edge("a", "b", Edge.On.COMPLETION))));
        flow.fail("a");

        assertThat(flow.claimable()).containsExactly("b");
    }

    @Test
    void the_same_flow_twice_in_one_call_is_one_flow() {
        var flow = FlowSubmission.of("pair").key("pair").member("a", work());
        var other = FlowSubmission.of("other").key("pair").member("a", work());
        var alone = FlowSubmission.of("alone").member("a", work());

        var answers = world.store().flows().submit(List.of(flow, flow, alone, other));

        assertThat(answers.get(0).orThrow().created()).isTrue();
        assertThat(answers.get(1).orThrow().created()).isFalse();
        assertThat(answers.get(2).orThrow().created()).isTrue();
        assertThat(answers.get(3)).isConflict(Conflict.Code.ID_TAKEN);
    }

    @Test
    void one_flow_that_is_refused_is_no_matter_of_the_others_of_its_call() {
        var taken = world.submit();
        var refused =
                FlowSubmission.of("refused").member("a", work()).member("b", work().id(taken));
        var cyclic = FlowSubmission.of("cyclic").member("a", work(), "b").member("b", work(), "a");

        var answers =
                world.store()
                        .flows()
                        .submit(
                                List.of(
                                        FlowSubmission.of("one").member("a", work()),
                                        refused,
                                        cyclic,
                                        FlowSubmission.of("two").member("a", work())));

        assertThat(answers.get(0).orThrow().created()).isTrue();
        assertThat(answers.get(1)).isConflict(Conflict.Code.ID_TAKEN);
        assertThat(answers.get(2)).isInvalid(Invalid.Code.CYCLE);
        assertThat(answers.get(3).orThrow().created()).isTrue();
    }
}
