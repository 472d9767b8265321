package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.ManualTime;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

/** Leases that are lost while their handler runs, one by one and all at once. */
class LossTest {
    private static final Attribution ADA = new Attribution("ada", "a test");

    private final ManualTime time = new ManualTime();
    private final WorkerScenario world = new WorkerScenario(time);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Set<Fence> begun = ConcurrentHashMap.newKeySet();
    private final Set<Fence> interrupted = ConcurrentHashMap.newKeySet();
    private final AtomicReference<String> broken = new AtomicReference<>("");

    @AfterEach
    void close() {
        go.countDown();
        broken.set("");
        world.close();
    }

    @Test
    void a_handler_is_interrupted_when_an_operator_cancels_its_work() {
        world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> begun.size() == 1);

        act(new OperatorCommand.Cancel(id));
        eventually(time, "it is interrupted", () -> interrupted.size() == 1);

        assertThat(world.state(id)).isEqualTo(PublicState.CANCELLED);
        eventually("it is counted", () -> world.tally.of("lease lost") == 1);
        assertThat(world.calls("end")).as("nobody tells the store about it").isZero();
    }

    @Test
    void the_slot_of_a_handler_that_was_interrupted_is_free_again() {
        world.start(blocking().concurrency(1));
        var first = world.submit("welcome");
        eventually("it runs", () -> begun.size() == 1);
        var second = world.submit("welcome");

        act(new OperatorCommand.Cancel(first));

        eventually(time, "the next one runs", () -> begun.size() == 2);
        go.countDown();
        eventually("it is done", () -> world.state(second) == PublicState.COMPLETED);
    }

    @Test
    void revoked_work_is_done_again_under_another_fence() {
        world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> begun.size() == 1);

        act(new OperatorCommand.Revoke(id));
        eventually(time, "it runs again", () -> begun.size() == 2);
        go.countDown();

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(begun).allMatch(fence -> fence.attempt() == 0);
        assertThat(world.steps(id))
                .containsExactly(
                        Transition.SUBMIT,
                        Transition.CLAIM,
                        Transition.REVOKE,
                        Transition.RECLAIM,
                        Transition.COMPLETE);
    }

    @Test
    void a_report_of_progress_finds_out_that_the_lease_is_lost() {
        var refusal = new AtomicReference<LeaseLost>();
        var flagged = new AtomicReference<String>("");
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    act(new OperatorCommand.Cancel(task.execution()));
                                    try {
                                        task.progress(50, "half");
                                    } catch (LeaseLost e) {
                                        refusal.set(e);
                                    }
                                    flagged.set(
                                            task.leaseLost()
                                                    + " "
                                                    + Thread.currentThread().isInterrupted());
                                    return Payload.EMPTY;
                                }));

        var id = world.submit("welcome");

        eventually("it has found out", () -> !flagged.get().isEmpty());
        assertThat(refusal.get()).isNotNull();
        assertThat(flagged).hasValue("true true");
        assertThat(world.state(id)).isEqualTo(PublicState.CANCELLED);
    }

    @Test
    void a_heartbeat_does_not_disturb_work_that_ends_at_the_same_time() {
        // The fence is still held when the heartbeat is made up, and ended when the store sees it.
        var ended = new CountDownLatch(1);
        world.hook(
                (call, real) -> {
                    if (call.equals("heartbeat")) {
                        go.countDown();
                        ended.await();
                    }
                    var answer = real.call();
                    if (call.equals("end")) {
                        ended.countDown();
                    }
                    return answer;
                });
        world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> begun.size() == 1);

        eventually(time, "it is done", () -> world.state(id) == PublicState.COMPLETED);

        assertThat(interrupted).isEmpty();
        time.pass(Duration.ofSeconds(1));
        assertThat(world.tally.of("lease lost")).isZero();
    }

    @Test
    void a_session_that_dies_interrupts_everything_and_the_worker_goes_on_in_another() {
        world.start(blocking().concurrency(3));
        var ids = world.submit("welcome", 3);
        eventually("they run", () -> begun.size() == 3);
        var first = holder(ids.getFirst());

        world.memory.sessions().close(first);
        eventually(time, "they are interrupted", () -> interrupted.size() == 3);
        eventually(time, "they run again", () -> begun.size() == 6);
        go.countDown();

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(world.tally.of("session died")).isEqualTo(1);
        assertThat(ids).allMatch(id -> world.view(id).reclaims() == 1);
        assertThat(ids).allMatch(id -> world.view(id).attempts() == 1);
    }

    @Test
    void a_worker_that_is_cut_off_stops_before_anybody_else_begins() {
        world.hook(
                (call, real) -> {
                    if (broken.get().equals("all")) {
                        throw new StoreFailure("Cut off.", true, new IllegalStateException());
                    }
                    return real.call();
                });
        world.start(blocking());
        var id = world.submit("welcome");
        eventually("it runs", () -> begun.size() == 1);

        broken.set("all");
        eventually(time, "it is interrupted", () -> interrupted.size() == 1);
        assertThat(world.view(id).owner()).as("the store still believes in it").isPresent();

        // Its engine cannot sweep either; another one does.
        world.engine((call, real) -> real.call());
        eventually(time, "it is free", () -> world.state(id) == PublicState.WAITING);
        broken.set("");
        eventually(time, "it runs again", () -> begun.size() == 2);
        go.countDown();
        eventually(time, "it is done", () -> world.state(id) == PublicState.COMPLETED);
    }

    @Test
    void what_a_handler_does_that_outlives_its_session_is_dropped() {
        Map<Integer, CountDownLatch> latches =
                Map.of(1, new CountDownLatch(1), 2, new CountDownLatch(1));
        var runs = new AtomicInteger();
        var left = new AtomicInteger();
        world.start(
                world.worker()
                        .concurrency(2)
                        .handle(
                                "welcome",
                                task -> {
                                    begun.add(task.fence());
                                    int run = runs.incrementAndGet();
                                    var latch = latches.get(run);
                                    while (latch != null && latch.getCount() > 0) {
                                        try {
                                            latch.await();
                                        } catch (InterruptedException e) {
                                            interrupted.add(task.fence());
                                        }
                                    }
                                    left.incrementAndGet();
                                    return Payload.text("run " + run);
                                }));
        var id = world.submit("welcome");
        eventually("it runs", () -> begun.size() == 1);

        world.memory.sessions().close(holder(id));
        eventually(time, "it runs again", () -> begun.size() == 2);
        assertThat(interrupted).hasSize(1);

        // The old one comes back first, and the new one still counts.
        open(latches, 1);
        eventually("the old one is through", () -> left.get() == 1);
        time.pass(Duration.ofSeconds(1));
        assertThat(world.state(id)).isEqualTo(PublicState.ACTIVE);
        open(latches, 2);

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(world.result(id).result()).contains(Payload.text("run 2"));
        assertThat(world.tally.of("lease lost")).as("refused by the store").isZero();
    }

    @Test
    void what_a_dead_session_had_prefetched_is_not_begun() {
        world.start(blocking().concurrency(1).handle("quick", task -> Payload.EMPTY));
        var quick = world.submit("quick", 64);
        eventually("it is quick", () -> world.all(quick, PublicState.COMPLETED));
        var ids = world.submit("welcome", 5);
        eventually("it has prefetched", () -> world.all(ids, PublicState.ACTIVE));
        eventually("one runs", () -> begun.size() == 1);

        world.memory.sessions().close(holder(ids.getFirst()));
        eventually(time, "it is interrupted", () -> interrupted.size() == 1);
        go.countDown();

        eventually(time, "all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(begun.stream().filter(this::isFirst)).hasSize(1);
    }

    private WorkerBuilder blocking() {
        return world.worker()
                .handle(
                        "welcome",
                        task -> {
                            begun.add(task.fence());
                            try {
                                go.await();
                            } catch (InterruptedException e) {
                                assertThat(task.leaseLost()).isTrue();
                                interrupted.add(task.fence());
                                throw e;
                            }
                            return Payload.EMPTY;
                        });
    }

    private SessionId holder(ExecutionId id) {
        return world.view(id).owner().orElseThrow().session();
    }

    /** Whether a fence is that of the first lease of its execution. */
    private boolean isFirst(Fence fence) {
        return world.memory.queries().history(fence.execution()).stream()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .filter(step -> step.epoch() > 0)
                .findFirst()
                .filter(step -> step.epoch() == fence.epoch())
                .isPresent();
    }

    private static void open(Map<Integer, CountDownLatch> latches, int run) {
        var latch = latches.get(run);
        if (latch != null) {
            latch.countDown();
        }
    }

    private void act(OperatorCommand act) {
        world.memory.operations().act(List.of(act), ADA).getFirst().orThrow();
    }
}
