package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;

/** Handlers that submit flows and await them. */
class AwaitTest {
    private static Submission work(String kind) {
        return Submission.of(kind, Payload.EMPTY).lane("chapters");
    }

    /** A book waits for its chapters with no slot of the worker: one is enough for all of them. */
    @Test
    @Timeout(60)
    void a_handler_goes_on_from_the_top_when_the_flow_has_ended_that_it_awaits() {
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var book = work("book");
            world.engine().submit(book);
            var worker =
                    Worker.on(world.engine())
                            .name("author")
                            .lane("chapters")
                            .concurrency(1)
                            .handleWithResult("book", task -> book(world, task))
                            .handle("chapter", task -> Payload.EMPTY)
                            .start();

            Eventually.eventually(
                    "the book is done", () -> world.state(book.id()) == PublicState.COMPLETED);

            assertThat(world.result(book.id()).result().orElseThrow().asText())
                    .isEqualTo("2 chapters");
            worker.stop();
        }
    }

    private static TaskResult book(WorkerScenario world, Task task) {
        var flows = world.engine().flows();
        var id =
                flows.submit(
                                FlowSubmission.of("chapters")
                                        .member("one", work("chapter"))
                                        .member("two", work("chapter"), "one")
                                        .below(task.fence().execution(), "chapters"))
                        .id();
        var view = flows.describe(List.of(id)).getFirst().orThrow();
        return view.state() == FlowState.COMPLETED
                ? TaskResult.complete(Payload.text(view.tally().succeeded() + " chapters"))
                : TaskResult.await(id);
    }

    @Test
    @Timeout(60)
    void a_handler_that_awaits_what_is_not_below_it_fails_for_good() {
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var book = work("book");
            world.engine().submit(book);
            var worker =
                    Worker.on(world.engine())
                            .name("author")
                            .lane("chapters")
                            .handleWithResult(
                                    "book",
                                    task ->
                                            TaskResult.await(
                                                    FlowId.below(task.fence().execution(), "none")))
                            .start();

            Eventually.eventually(
                    "it has failed", () -> world.state(book.id()) == PublicState.FAILED);

            assertThat(world.result(book.id()).failure().orElseThrow().message()).contains("flow");
            worker.stop();
        }
    }
}
