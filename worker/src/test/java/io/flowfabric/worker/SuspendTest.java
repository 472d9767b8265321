package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a handler is told whose wait cannot be. */
class SuspendTest {
    @Test
    @Timeout(60)
    void a_wait_under_the_name_of_a_step_fails_for_good_and_leaves_the_session_alone() {
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var work = Submission.of("wait", Payload.EMPTY).lane("waits");
            world.engine().submit(work);
            var worker =
                    Worker.on(world.engine())
                            .name("waiting")
                            .lane("waits")
                            .handleWithResult(
                                    "wait",
                                    task -> {
                                        task.checkpoint("approval", Payload.text("x"));
                                        return TaskResult.suspend(
                                                Suspension.until(
                                                        "approval", Condition.signal("boss")));
                                    })
                            .start();

            Eventually.eventually(
                    "it has failed", () -> world.state(work.id()) == PublicState.FAILED);

            assertThat(world.result(work.id()).failure().orElseThrow().message())
                    .contains("approval");
            worker.stop();
        }
    }
}
