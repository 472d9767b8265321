package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Worker processes that are killed with SIGKILL amid flows: none of what follows is lost. */
@ParameterizedClass
@EnumSource(StoreKind.class)
class KilledAmidFlowsTest {
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final int KILLS = 6;
    private static final int LENGTH = 12;
    private static final int RUNNERS = 20;

    private final FaultScenario world;

    KilledAmidFlowsTest(StoreKind store) {
        this.world = store.scenario();
    }

    @AfterEach
    void close() {
        world.close();
    }

    private static Submission work() {
        return FaultScenario.work(1).getFirst();
    }

    private static FlowSubmission chain() {
        var flow = FlowSubmission.of("chain").member("0", work());
        for (int n = 1; n < LENGTH; n++) {
            flow = flow.member("" + n, work(), "" + (n - 1));
        }
        return flow;
    }

    private static FlowSubmission race() {
        var flow = FlowSubmission.of("race").member("start", work());
        var names = new ArrayList<String>();
        for (int n = 0; n < RUNNERS; n++) {
            names.add("runner" + n);
            flow = flow.member("runner" + n, work(), "start");
        }
        return flow.member("end", work(), Join.quorum(RUNNERS / 4), names.toArray(String[]::new));
    }

    @Test
    void every_flow_ends_as_it_should_although_workers_are_killed_again_and_again() {
        var random = new Random(5);
        var chains = new ArrayList<FlowId>();
        var races = new ArrayList<FlowId>();
        var workers = new ArrayList<WorkerProcess>();
        for (int i = 0; i < 3; i++) {
            workers.add(world.process("worker-" + i, TTL, 6));
        }
        workers.forEach(WorkerProcess::awaitReady);

        for (int i = 0; i < KILLS; i++) {
            chains.addAll(submit(10, KilledAmidFlowsTest::chain));
            races.addAll(submit(4, KilledAmidFlowsTest::race));
            Waiting.pause(Duration.ofMillis(50 + random.nextInt(400)));
            workers.remove(random.nextInt(workers.size())).kill();
            workers.add(world.process("successor-" + i, TTL, 6));
        }

        Waiting.until(
                "all flows have ended",
                () ->
                        Stream.concat(chains.stream(), races.stream())
                                .allMatch(id -> view(id).state().ended()));
        world.judge();
        chains.forEach(this::assertInTurn);
        races.forEach(this::assertWon);
    }

    private List<FlowId> submit(int count, Supplier<FlowSubmission> flow) {
        var flows = Stream.generate(flow).limit(count).toList();
        return world.store().flows().submit(flows).stream().map(it -> it.orThrow().id()).toList();
    }

    private FlowView view(FlowId id) {
        return world.store().flows().describe(List.of(id)).getFirst().orThrow();
    }

    private List<MemberView> members(FlowId id) {
        return world.store().flows().members(id, Cursor.START, 100).items();
    }

    /** Each member began after the end of the one before it. */
    private void assertInTurn(FlowId id) {
        assertThat(view(id).state()).isEqualTo(FlowState.COMPLETED);
        assertThat(view(id).settled()).isTrue();
        assertThat(view(id).tally().succeeded()).isEqualTo(LENGTH);
        var members = members(id);
        for (int n = 1; n < LENGTH; n++) {
            var before = world.steps(members.get(n - 1).execution(), Transition.COMPLETE);
            var begun = world.steps(members.get(n).execution(), Transition.CLAIM);
            assertThat(before).hasSize(1);
            assertThat(begun.getFirst().at()).isAfterOrEqualTo(before.getFirst().at());
        }
    }

    /** Enough have come in, the others were skipped, and the end began after that. */
    private void assertWon(FlowId id) {
        assertThat(view(id).state()).isEqualTo(FlowState.COMPLETED);
        assertThat(view(id).settled()).isTrue();
        var states =
                members(id).stream()
                        .collect(Collectors.groupingBy(MemberView::state, Collectors.counting()));
        assertThat(states.keySet()).isSubsetOf(PublicState.COMPLETED, PublicState.SKIPPED);
        assertThat(states.get(PublicState.COMPLETED)).isGreaterThanOrEqualTo(RUNNERS / 4 + 2);
    }
}
