package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event.FlowChange;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** What follows from the end of a member: at once, and in the call that ended it. */
abstract class FlowProgressRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    FlowProgressRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private FlowPlay play(FlowSubmission flow) {
        return FlowPlay.of(world, flow);
    }

    private static FlowSubmission chain() {
        return FlowSubmission.of("chain")
                .member("a", work())
                .member("b", work(), "a")
                .member("c", work(), "b");
    }

    /** Three members, and one that comes after them. */
    private static FlowSubmission joined(Join join) {
        return FlowSubmission.of("joined")
                .member("a", work())
                .member("b", work())
                .member("c", work())
                .member("end", work(), join, "a", "b", "c");
    }

    @Test
    @BatchAnswers({"P10", "P11", "W45"})
    void a_chain_goes_on_by_itself_and_the_flow_completes_with_its_last_member() {
        var flow = play(chain());

        flow.complete("a");
        assertThat(flow.claimable()).containsExactly("b");
        flow.complete("b");
        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        flow.complete("c");

        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
        assertThat(flow.view().tally().succeeded()).isEqualTo(3);
        assertThat(world.transitions(flow.execution("b")))
                .containsSubsequence(Transition.SUBMIT, Transition.SATISFY, Transition.COMPLETE);
    }

    @Test
    @BatchAnswers("P45")
    void all_of_several_are_waited_for() {
        var flow = play(joined(Join.ALL_OF));

        flow.complete("a");
        flow.complete("b");
        assertThat(flow.state("end")).isEqualTo(PublicState.WAITING_CHILDREN);
        flow.complete("c");

        assertThat(flow.claimable()).containsExactly("end");
    }

    @Test
    void several_that_end_in_one_call_count_for_as_many() {
        var flow = play(joined(Join.ALL_OF));

        flow.complete("a", "b", "c");

        assertThat(flow.claimable()).containsExactly("end");
        assertThat(flow.member("end").met()).isEqualTo(3);
    }

    @Test
    @BatchAnswers({"P35", "P51"})
    void what_needs_a_member_that_did_not_succeed_is_skipped_with_all_that_needs_it() {
        var flow = play(chain());

        flow.fail("a");

        assertThat(flow.states())
                .isEqualTo(
                        Map.of(
                                "a", PublicState.FAILED,
                                "b", PublicState.SKIPPED,
                                "c", PublicState.SKIPPED));
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
        assertThat(world.lastStep(flow.execution("b")).by().orElseThrow().reason()).contains("a");
    }

    @Test
    void any_end_counts_for_those_that_come_after_a_completion() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .graph(
                                        List.of(
                                                Member.of("a", work()),
                                                Member.of("b", work()),
                                                Member.of("always", work())),
                                        List.of(
                                                Edge.of("a", "b"),
                                                new Edge("b", "always", Edge.On.COMPLETION))));

        flow.fail("a");

        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);
        assertThat(flow.claimable()).containsExactly("always");
    }

    @Test
    void the_first_of_several_is_enough_and_the_others_are_skipped() {
        var flow = play(joined(Join.anyOf()));
        var running = flow.begin("b");

        flow.complete("a");

        assertThat(flow.claimable()).containsExactly("end");
        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);
        assertThat(flow.state("c")).isEqualTo(PublicState.SKIPPED);
        assertThat(world.end(Endings.complete(running))).isLeaseLost();
        flow.complete("end");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void others_are_let_run_where_that_is_asked_for() {
        var flow = play(joined(Join.quorum(2).letRun()));

        flow.complete("a", "b");

        assertThat(flow.claimable()).containsExactly("c", "end");
        flow.complete("end");
        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        flow.fail("c");
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
    }

    @Test
    @BatchAnswers("W14")
    void a_quorum_that_cannot_be_had_any_more_skips_and_lets_go_of_the_others() {
        var flow = play(joined(Join.quorum(2)));

        flow.fail("a");
        assertThat(flow.state("end")).isEqualTo(PublicState.WAITING_CHILDREN);
        flow.fail("b");

        assertThat(flow.state("end")).isEqualTo(PublicState.SKIPPED);
        assertThat(flow.state("c")).isEqualTo(PublicState.SKIPPED);
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
    }

    @Test
    void what_another_member_still_needs_is_not_skipped() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("b", work())
                                .member("first", work(), Join.anyOf(), "a", "b")
                                .member("report", work(), "b"));

        flow.complete("a");

        assertThat(flow.claimable()).containsExactly("b", "first");
    }

    @Test
    @BatchAnswers("P46")
    void what_has_begun_is_not_started_again_by_those_that_end_later() {
        var flow = play(joined(Join.anyOf().letRun()));
        flow.complete("a");
        var lease = flow.begin("end");

        flow.complete("b", "c");

        assertThat(world.report(lease, 50)).isDone();
        assertThat(world.end(Endings.complete(lease))).isDone();
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void a_retry_is_no_end() {
        var flow = play(chain());
        world.end(Endings.retry(flow.begin("a"), MINUTE)).orThrow();

        assertThat(flow.state("b")).isEqualTo(PublicState.WAITING_CHILDREN);
        world.pass(MINUTE);
        flow.complete("a");

        assertThat(flow.claimable()).containsExactly("b");
    }

    @Test
    @BatchAnswers({"P50", "P51"})
    void an_operator_who_ends_a_member_ends_it_for_the_others_too() {
        var flow = play(joined(Join.quorum(1).letRun()));
        world.cancel(flow.execution("a"));
        assertThat(flow.member("end").missed()).isEqualTo(1);

        world.act(new OperatorCommand.Complete(flow.execution("b"), Endings.RESULT)).orThrow();

        assertThat(flow.claimable()).containsExactly("c", "end");
    }

    @Test
    @BatchAnswers("P35")
    void a_member_that_expires_is_one_that_did_not_succeed() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work(Policy.DEFAULT.deadline(Due.in(MINUTE))))
                                .member("b", work(), "a"));

        world.pass(MINUTE);

        assertThat(flow.state("a")).isEqualTo(PublicState.EXPIRED);
        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
    }

    @Test
    void a_member_whose_worker_died_too_often_is_one_that_did_not_succeed() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work(Policy.DEFAULT.maxReclaims(0)))
                                .member("b", work(), "a"));
        var frail = world.frailWorker();
        world.claimByHand(flow.execution("a"), frail).orThrow();

        world.bury(frail);

        assertThat(flow.state("a")).isEqualTo(PublicState.FAILED);
        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);
    }

    @Test
    void a_flow_that_fails_fast_skips_everything_that_has_not_ended() {
        var flow =
                play(joined(Join.ALL_OF).policy(FlowPolicy.DEFAULT.onFailure(OnFailure.FAIL_FAST)));
        flow.complete("a");
        var running = flow.begin("b");

        flow.fail("c");

        assertThat(flow.states())
                .isEqualTo(
                        Map.of(
                                "a", PublicState.COMPLETED,
                                "b", PublicState.SKIPPED,
                                "c", PublicState.FAILED,
                                "end", PublicState.SKIPPED));
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
        assertThat(world.end(Endings.complete(running))).isLeaseLost();
    }

    @Test
    void a_flow_that_ignores_failures_completes() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .policy(FlowPolicy.DEFAULT.onFailure(OnFailure.IGNORE))
                                .member("a", work())
                                .member("b", work()));
        flow.fail("a");
        flow.complete("b");

        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    @BatchAnswers({"P47", "W11"})
    void a_repeated_ending_counts_once() {
        var flow = play(joined(Join.quorum(2)));
        var lease = flow.begin("a");
        world.end(Endings.complete(lease)).orThrow();

        assertThat(world.end(Endings.complete(lease))).isDone();

        assertThat(flow.member("end").met()).isEqualTo(1);
        assertThat(flow.view().tally().succeeded()).isEqualTo(1);
    }

    @Test
    @BatchAnswers("W17")
    void very_many_members_that_are_not_needed_any_more_are_all_skipped() {
        int many = 1_500;
        var flow = FlowSubmission.of("race");
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < many; n++) {
            members.add(Member.of("m" + n, work()));
            edges.add(Edge.of("m" + n, "end"));
        }
        members.add(Member.of("end", work()).join(Join.anyOf()));
        var play = play(flow.graph(members, edges));
        var winner = play.worker().claimOne();

        world.end(Endings.complete(winner)).orThrow();

        assertThat(play.view().tally().skipped()).isEqualTo(many - 1);
        assertThat(play.view().settled()).isTrue();
        assertThat(play.claimable()).containsExactly("end");
    }

    @Test
    void a_long_chain_is_skipped_to_its_end() {
        int length = 1_200;
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < length; n++) {
            members.add(Member.of("m" + n, work()));
            if (n > 0) {
                edges.add(Edge.of("m" + (n - 1), "m" + n));
            }
        }
        var flow = play(FlowSubmission.of("chain").graph(members, edges));

        world.end(Endings.fail(flow.worker().claimOne())).orThrow();

        assertThat(flow.view().tally().skipped()).isEqualTo(length - 1);
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
    }

    @Test
    void what_happens_to_a_flow_is_told() {
        var feed = world.feed(FeedFilter.of(Topic.FLOWS));
        var flow = play(chain());
        flow.complete("a");
        flow.fail("b");

        assertThat(feed.read())
                .extracting(event -> ((FlowChange) event).step())
                .containsExactly(FlowStep.SUBMITTED, FlowStep.ENDED);
    }

    @Test
    void endings_of_members_and_of_others_are_answered_each_by_itself() {
        var flow = play(chain());
        var solo = world.submit();
        var soloLease = world.claimByHand(solo, flow.worker()).orThrow();
        var member = flow.begin("a");
        var other = play(chain());
        var otherMember = other.begin("a");
        world.cancel(other.execution("a"));

        var answers =
                world.store()
                        .leases()
                        .end(
                                List.of(
                                        Endings.complete(soloLease),
                                        Endings.complete(member),
                                        Endings.complete(otherMember)));

        assertThat(answers.stream().map(Answer::isDone)).containsExactly(true, true, false);
        assertThat(answers.getLast()).isLeaseLost();
        assertThat(flow.claimable()).containsExactly("b");
    }

    @Test
    void what_becomes_ready_is_found_before_all_that_was_claimed_since() {
        var flow = play(chain());
        var begun = flow.begin("a");
        var worker = flow.worker();
        for (int round = 0; round < 4; round++) {
            world.submit(256, Given::work);
            var leases = worker.claim(256);
            world.store()
                    .leases()
                    .end(leases.stream().map(Endings::complete).toList())
                    .forEach(Answer::orThrow);
        }
        world.submit(8, Given::work);

        world.end(Endings.complete(begun)).orThrow();

        assertThat(worker.take(1)).containsExactly(flow.execution("b"));
    }

    @Test
    void members_of_many_flows_that_end_in_one_call_tell_all_that_come_after_them() {
        int each = 300;
        var flows = new ArrayList<FlowPlay>();
        for (int n = 0; n < 5; n++) {
            var flow = FlowSubmission.of("fan");
            var members = new ArrayList<Member>();
            var edges = new ArrayList<Edge>();
            members.add(Member.of("root", work()));
            for (int child = 0; child < each; child++) {
                members.add(Member.of("c" + child, work()));
                edges.add(Edge.of("root", "c" + child));
            }
            flows.add(play(flow.graph(members, edges)));
        }
        var roots = flows.stream().map(flow -> Endings.complete(flow.begin("root"))).toList();

        world.store().leases().end(roots).forEach(Answer::orThrow);

        for (var flow : flows) {
            assertThat(flow.members().stream().filter(it -> it.state() == PublicState.WAITING))
                    .hasSize(each);
        }
    }
}
