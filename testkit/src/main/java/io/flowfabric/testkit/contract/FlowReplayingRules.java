package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event.FlowChange;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A member that is replayed reopens what depended on it, and nothing else. */
abstract class FlowReplayingRules extends Rules {
    FlowReplayingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    private FlowPlay play(FlowSubmission flow) {
        return FlowPlay.of(world, flow);
    }

    @Test
    @BatchAnswers({"P49", "W13"})
    void what_was_skipped_because_of_it_waits_again_and_the_flow_goes_on() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("other", work())
                                .member("b", work(), "a", "other")
                                .member("c", work(), "b"));
        flow.complete("other");
        flow.fail("a");
        assertThat(flow.state()).isEqualTo(FlowState.FAILED);
        var feed = world.feed(FeedFilter.of(Topic.FLOWS));

        world.replay(flow.execution("a"));

        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        assertThat(flow.states())
                .isEqualTo(
                        Map.of(
                                "a", PublicState.WAITING,
                                "other", PublicState.COMPLETED,
                                "b", PublicState.WAITING_CHILDREN,
                                "c", PublicState.WAITING_CHILDREN));
        flow.complete("a");
        flow.complete("b");
        flow.complete("c");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
        assertThat(feed.read())
                .extracting(event -> ((FlowChange) event).step())
                .containsExactly(FlowStep.REOPENED, FlowStep.ENDED);
    }

    @Test
    void what_other_members_keep_from_running_stays_skipped() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("b", work())
                                .member("both", work(), "a", "b")
                                .member("mine", work(), "a"));
        flow.fail("a", "b");

        world.replay(flow.execution("a"));

        assertThat(flow.state("mine")).isEqualTo(PublicState.WAITING_CHILDREN);
        assertThat(flow.state("both")).isEqualTo(PublicState.SKIPPED);
        world.replay(flow.execution("b"));
        assertThat(flow.state("both")).isEqualTo(PublicState.WAITING_CHILDREN);
    }

    @Test
    @BatchAnswers("W13")
    void a_quorum_counts_again() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("b", work())
                                .member("c", work())
                                .member("end", work(), Join.quorum(2), "a", "b", "c"));
        flow.complete("a");
        flow.fail("b", "c");
        assertThat(flow.state("end")).isEqualTo(PublicState.SKIPPED);

        world.replay(flow.execution("b"));

        assertThat(flow.member("end").missed()).isEqualTo(1);
        flow.complete("b");
        assertThat(flow.claimable()).containsExactly("end");
    }

    @Test
    void those_that_were_let_go_of_are_needed_again() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("b", work())
                                .member("end", work(), Join.ALL_OF.cancelRemaining(), "a", "b"));
        flow.fail("a");
        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);

        world.replay(flow.execution("a"));

        assertThat(flow.claimable()).containsExactly("a", "b");
        flow.complete("a", "b");
        assertThat(flow.claimable()).containsExactly("end");
    }

    @Test
    void a_flow_that_failed_fast_goes_on_as_a_whole() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .policy(FlowPolicy.DEFAULT.onFailure(OnFailure.FAIL_FAST))
                                .member("a", work())
                                .member("b", work())
                                .member("c", work(), "b"));
        flow.fail("a");
        assertThat(flow.state("c")).isEqualTo(PublicState.SKIPPED);

        world.replay(flow.execution("a"));

        assertThat(flow.claimable()).containsExactly("a", "b");
        flow.complete("a", "b");
        flow.complete("c");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void what_has_run_meanwhile_is_left_alone() {
        var flow =
                play(
                        FlowSubmission.of("f")
                                .member("a", work())
                                .member("b", work())
                                .member("end", work(), Join.anyOf().letRun(), "a", "b"));
        flow.fail("a");
        flow.complete("b");
        flow.complete("end");

        world.replay(flow.execution("a"));

        assertThat(flow.state("end")).isEqualTo(PublicState.COMPLETED);
        assertThat(flow.state()).isEqualTo(FlowState.RUNNING);
        flow.complete("a");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }

    @Test
    void a_member_that_would_be_skipped_again_is_not_replayed() {
        var flow = play(FlowSubmission.of("f").member("a", work()).member("b", work(), "a"));
        flow.fail("a");
        var before = world.everything();

        assertThat(world.act(new OperatorCommand.Replay(flow.execution("b"))))
                .isConflict(Conflict.Code.MEMBER_SKIPPED, flow.execution("b"));
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void a_member_that_was_cancelled_while_it_waited_waits_again() {
        var flow = play(FlowSubmission.of("f").member("a", work()).member("b", work(), "a"));
        world.cancel(flow.execution("b"));

        world.replay(flow.execution("b"));

        assertThat(flow.state("b")).isEqualTo(PublicState.WAITING_CHILDREN);
        flow.complete("a");
        assertThat(flow.claimable()).containsExactly("b");
    }

    @Test
    void what_was_erased_is_not_reopened_and_the_flow_ends() {
        var flow = play(FlowSubmission.of("f").member("a", work()).member("b", work(), "a"));
        flow.fail("a");
        var gone = List.of(flow.execution("b"));
        world.store().operations().erase(gone, Scenario.OLGA).getFirst().orThrow();

        world.replay(flow.execution("a"));
        flow.complete("a");

        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
        assertThat(flow.state("b")).isEqualTo(PublicState.SKIPPED);
    }

    @Test
    void a_flow_that_was_cancelled_is_not_reopened() {
        var flow = play(FlowSubmission.of("f").member("a", work()));
        flow.cancel(Mode.ALL);

        assertThat(world.act(new OperatorCommand.Replay(flow.execution("a"))))
                .isConflict(Conflict.Code.FLOW_CLOSED);
    }

    @Test
    void a_success_can_be_replayed_and_counts_once() {
        var flow = play(FlowSubmission.of("f").member("a", work()).member("b", work(), "a"));
        flow.complete("a");

        world.replay(flow.execution("a"));

        assertThat(flow.view().tally().live()).isEqualTo(2);
        flow.complete("a");
        assertThat(flow.view().tally().succeeded()).isEqualTo(1);
        flow.complete("b");
        assertThat(flow.state()).isEqualTo(FlowState.COMPLETED);
    }
}
