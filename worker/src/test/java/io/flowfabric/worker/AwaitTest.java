package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.function.BiFunction;

/** What a handler is told that awaits what it cannot. */
@Timeout(60)
class AwaitTest {
    @Test
    void a_handler_that_awaits_a_flow_that_there_is_not_fails_for_good() {
        assertThat(failed((world, task) -> FlowId.below(task.fence().execution(), "none")))
                .contains("There is no flow");
    }

    @Test
    void a_handler_that_awaits_what_is_not_below_it_fails_for_good() {
        assertThat(
                        failed(
                                (world, task) ->
                                        world.engine()
                                                .flows()
                                                .submit(
                                                        FlowSubmission.of("alone")
                                                                .member("a", work("other")))
                                                .id()))
                .contains("is not below");
    }

    private static Submission work(String kind) {
        return Submission.of(kind, Payload.EMPTY).lane("chapters");
    }

    /** The failure of a handler that awaits a flow. */
    private static String failed(BiFunction<WorkerScenario, Task, FlowId> awaited) {
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var book = work("book");
            world.engine().submit(book);
            var worker =
                    Worker.on(world.engine())
                            .name("author")
                            .lane("chapters")
                            .handleWithResult(
                                    "book", task -> TaskResult.await(awaited.apply(world, task)))
                            .start();
            Eventually.eventually(
                    "it has failed", () -> world.state(book.id()) == PublicState.FAILED);
            worker.stop();
            return world.result(book.id()).failure().orElseThrow().message();
        }
    }
}
