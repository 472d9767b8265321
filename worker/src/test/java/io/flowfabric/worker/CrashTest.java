package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.testkit.fault.Witness;
import io.flowfabric.testkit.history.History;
import io.flowfabric.testkit.history.HistoryAssert;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Workers whose process is gone, as far as the store and everyone else can see. */
class CrashTest {
    private final ManualTime time = new ManualTime();
    private final WorkerScenario world = new WorkerScenario(time);
    private final Witness witness = new Witness(world.clock);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Set<ExecutionId> byFirst = ConcurrentHashMap.newKeySet();
    private volatile boolean dead;

    @AfterEach
    void close() {
        go.countDown();
        dead = false;
        world.stopWorkers();
        HistoryAssert.assertThat(
                        History.of(world.memory, world.clock.instant(), witness.acknowledged())
                                .meantToBeDrained())
                .isSound();
        world.close();
    }

    @Test
    void another_worker_takes_over_within_a_second_of_the_time_to_live() {
        var ids = startAndKillTheFirst();
        var died = time.instant();
        startTheSecond();

        eventually(time, "all are done", () -> world.all(ids, PublicState.COMPLETED));

        // Its last sign of life was before it died.
        assertThat(ids).allMatch(id -> lapsed(id).isBefore(died.plusSeconds(31)));
        for (var id : ids) {
            assertThat(world.result(id).result()).contains(Payload.text("second"));
            assertThat(world.steps(id))
                    .containsExactly(
                            Transition.SUBMIT,
                            Transition.CLAIM,
                            Transition.LAPSE,
                            Transition.RECLAIM,
                            Transition.COMPLETE);
            assertThat(world.view(id).attempts()).isEqualTo(1);
        }
    }

    @Test
    void a_process_that_wakes_up_after_its_time_changes_nothing_and_works_on() {
        var ids = startAndKillTheFirst();
        startTheSecond();
        eventually(time, "all are done", () -> world.all(ids, PublicState.COMPLETED));

        dead = false;
        go.countDown();
        time.pass(Duration.ofSeconds(10));

        assertThat(ids).allMatch(id -> text(id).equals("second"));
        var more = world.submit("welcome", 40);
        eventually(time, "all are done", () -> world.all(more, PublicState.COMPLETED));
        eventually(
                time,
                "both work",
                () -> {
                    var next = world.submit("welcome", 4);
                    eventually(time, "done", () -> world.all(next, PublicState.COMPLETED));
                    return next.stream().anyMatch(id -> text(id).equals("first"));
                });
    }

    private List<ExecutionId> startAndKillTheFirst() {
        var cut =
                world.engine(
                        witness.watching(
                                (call, real) -> {
                                    if (dead) {
                                        throw new StoreFailure(
                                                "The process is gone.",
                                                true,
                                                new IllegalStateException());
                                    }
                                    return real.call();
                                }));
        world.start(
                Worker.on(cut)
                        .name("first")
                        .lane(WorkerScenario.LANE.name())
                        .concurrency(5)
                        .handle(
                                "welcome",
                                task -> {
                                    byFirst.add(task.execution());
                                    while (go.getCount() > 0) {
                                        try {
                                            go.await();
                                        } catch (InterruptedException e) {
                                            // A process that is gone hears nothing.
                                        }
                                    }
                                    return Payload.text("first");
                                }));
        var ids = world.submit("welcome", 5);
        eventually("it works on all", () -> byFirst.size() == 5);
        dead = true;
        return ids;
    }

    private void startTheSecond() {
        world.start(
                world.worker().name("second").handle("welcome", task -> Payload.text("second")));
    }

    private Instant lapsed(ExecutionId id) {
        return world.memory.queries().history(id).stream()
                .filter(
                        event ->
                                event instanceof Event.Step step
                                        && step.transition() == Transition.LAPSE)
                .map(Event::at)
                .findFirst()
                .orElseThrow();
    }

    private String text(ExecutionId id) {
        return world.result(id).result().orElseThrow().asText();
    }
}
