package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Step;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;

/** How the steps that handlers record come to the store. */
class StepReportsTest {
    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final CountDownLatch go = new CountDownLatch(1);

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void steps_that_handlers_record_at_the_same_time_are_one_call() {
        Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
        world.hook(
                (call, real) -> {
                    if (call.equals("checkpoint")) {
                        go.await();
                        sizes.add(real.size());
                    }
                    return real.call();
                });
        world.start(world.worker().concurrency(50).handle("record", StepReportsTest::recordStep));
        var ids = new ArrayList<ExecutionId>();
        ids.add(world.submit("record"));
        eventually("a committer is busy", () -> world.calls("checkpoint") == 1);
        ids.add(world.submit("record"));
        eventually("both committers are busy", () -> world.calls("checkpoint") == 2);
        ids.addAll(world.submit("record", 48));
        eventually("all run", () -> world.tally.of("claimed") == 50);
        Eventually.pause(Duration.ofMillis(50));

        go.countDown();

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(50);
        assertThat(sizes.size()).isLessThanOrEqualTo(6);
    }

    @Test
    void a_handler_that_outlives_its_worker_is_told_that_its_lease_is_lost() {
        var begun = new CountDownLatch(1);
        Queue<LeaseLost> told = new ConcurrentLinkedQueue<>();
        var worker =
                world.start(
                        world.worker()
                                .handle(
                                        "deaf",
                                        task -> {
                                            begun.countDown();
                                            UsageTest.await(go);
                                            try {
                                                return recordStep(task);
                                            } catch (LeaseLost gone) {
                                                told.add(gone);
                                                throw gone;
                                            }
                                        }));
        world.submit("deaf");
        UsageTest.await(begun);
        worker.stop(Duration.ZERO);

        go.countDown();

        eventually("it knows", () -> !told.isEmpty());
    }

    /** Records a step, and returns what was recorded. */
    private static Payload recordStep(Task task) {
        Step step = task.checkpoint("step", task.input());
        return step.content();
    }
}
