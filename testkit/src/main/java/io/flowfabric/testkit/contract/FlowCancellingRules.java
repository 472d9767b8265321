package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.feed.Event.FlowChange;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.FeedFilter.Topic;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Member;
import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** A flow is cancelled by one call, as much of it as is asked for. */
abstract class FlowCancellingRules extends Rules {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    FlowCancellingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    /** One is done, one runs, one has begun and waits, one is ready, one waits for another. */
    private FlowPlay halfDone() {
        var flow =
                FlowPlay.of(
                        world,
                        FlowSubmission.of("f")
                                .member("done", work())
                                .member("runs", work())
                                .member("begun", work())
                                .member("ready", work(), "done")
                                .member("waits", work(), "runs"));
        flow.complete("done");
        world.end(Endings.retry(flow.begin("begun"), MINUTE)).orThrow();
        return flow;
    }

    @Test
    @BatchAnswers({"P25", "P50", "W6", "W32"})
    void cancelling_all_ends_what_has_not_ended_and_leaves_the_rest_alone() {
        var flow = halfDone();
        var running = flow.begin("runs");

        var view = flow.cancel(Mode.ALL);

        assertThat(view.state()).isEqualTo(FlowState.CANCELLED);
        assertThat(view.settled()).isTrue();
        assertThat(flow.states())
                .isEqualTo(
                        Map.of(
                                "done", PublicState.COMPLETED,
                                "runs", PublicState.CANCELLED,
                                "begun", PublicState.CANCELLED,
                                "ready", PublicState.CANCELLED,
                                "waits", PublicState.CANCELLED));
        assertThat(world.end(Endings.complete(running))).isLeaseLost();
        assertThat(world.lastStep(flow.execution("waits")).by()).contains(Scenario.OLGA);
    }

    @Test
    @BatchAnswers({"P50", "P52"})
    void cancelling_what_is_pending_leaves_what_has_begun() {
        var flow = halfDone();
        var running = flow.begin("runs");

        var view = flow.cancel(Mode.PENDING);

        assertThat(view.state()).isEqualTo(FlowState.RUNNING);
        assertThat(flow.state("ready")).isEqualTo(PublicState.CANCELLED);
        assertThat(flow.state("waits")).isEqualTo(PublicState.CANCELLED);
        assertThat(flow.state("begun")).isEqualTo(PublicState.DELAYED);
        world.end(Endings.complete(running)).orThrow();
        world.pass(MINUTE);
        flow.complete("begun");
        assertThat(flow.state()).isEqualTo(FlowState.CANCELLED);
    }

    @Test
    void cancelling_what_is_inactive_lets_workers_finish() {
        var flow = halfDone();
        var running = flow.begin("runs");

        flow.cancel(Mode.INACTIVE);

        assertThat(flow.state("begun")).isEqualTo(PublicState.CANCELLED);
        assertThat(flow.state("ready")).isEqualTo(PublicState.CANCELLED);
        assertThat(flow.state("waits")).isEqualTo(PublicState.CANCELLED);
        world.end(Endings.complete(running)).orThrow();
        assertThat(flow.state()).isEqualTo(FlowState.CANCELLED);
        assertThat(flow.state("runs")).isEqualTo(PublicState.COMPLETED);
    }

    @Test
    void a_cancellation_that_is_only_recorded_ends_nothing() {
        var flow = FlowPlay.of(world, FlowSubmission.of("f").member("a", work()));

        assertThat(flow.cancel(Mode.RECORD).state()).isEqualTo(FlowState.RUNNING);

        assertThat(flow.view().cancelled().orElseThrow().by()).isEqualTo(Scenario.OLGA);
        flow.complete("a");
        assertThat(flow.state()).isEqualTo(FlowState.CANCELLED);
    }

    @Test
    void cancelling_again_is_success_and_may_end_more() {
        var flow = halfDone();
        flow.cancel(Mode.PENDING);

        assertThat(flow.cancel(Mode.RECORD).state()).isEqualTo(FlowState.RUNNING);
        assertThat(flow.cancel(Mode.ALL).state()).isEqualTo(FlowState.CANCELLED);
        var before = world.everything();

        assertThat(flow.offerCancel(Mode.ALL)).isDone();
        assertThat(world.everything()).isEqualTo(before);
    }

    @Test
    void what_has_ended_otherwise_is_not_cancelled() {
        var flow = FlowPlay.of(world, FlowSubmission.of("f").member("a", work()));
        flow.complete("a");

        assertThat(flow.offerCancel(Mode.ALL)).isConflict(Conflict.Code.ALREADY_FINISHED);
        var unknown = List.of(FlowId.mint(Namespace.DEFAULT));
        assertThat(world.store().flows().cancel(unknown, Mode.ALL, Scenario.OLGA).getFirst())
                .isNotFound("flow");
    }

    @Test
    void very_many_members_are_cancelled_by_one_call() {
        int many = 2_300;
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < many; n++) {
            members.add(Member.of("m" + n, work()));
            if (n % 2 == 1) {
                edges.add(Edge.of("m" + (n - 1), "m" + n));
            }
        }
        var flow = FlowPlay.of(world, FlowSubmission.of("large").graph(members, edges));

        assertThat(flow.cancel(Mode.ALL).tally().cancelled()).isEqualTo(many);
        assertThat(flow.state()).isEqualTo(FlowState.CANCELLED);
    }

    @Test
    void who_cancelled_it_is_told() {
        var flow = FlowPlay.of(world, FlowSubmission.of("f").member("a", work()));
        var feed = world.feed(FeedFilter.of(Topic.FLOWS));

        flow.cancel(Mode.ALL);

        assertThat(feed.read())
                .extracting(event -> ((FlowChange) event).step())
                .containsExactly(FlowStep.CANCELLED, FlowStep.ENDED);
    }
}
