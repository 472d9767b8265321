package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.util.List;

/** R29: what handlers mean when they return null, and what they cannot mean. */
class NoResultTest {
    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void a_handler_that_returns_null_completes_without_a_result() {
        world.start(
                world.worker()
                        .handle("plain", task -> null)
                        .handleWithResult("rich", task -> null));

        var ids = List.of(world.submit("plain"), world.submit("rich"));

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        for (var id : ids) {
            assertThat(world.result(id).result()).contains(Payload.EMPTY);
            assertThat(world.view(id).attempts()).isEqualTo(1);
        }
    }

    @Test
    void any_other_null_fails_for_good_and_the_failure_names_the_kind_of_its_handler() {
        world.start(
                world.worker()
                        .handleWithResult("complete", task -> TaskResult.complete(nothing()))
                        .handleWithResult("delay", task -> TaskResult.delay(nothing()))
                        .handleWithResult("cancel", task -> TaskResult.cancel(nothing())));

        for (var kind : List.of("complete", "delay", "cancel")) {
            var id = world.submit(kind);
            eventually("it has failed", () -> world.state(id) == PublicState.FAILED);
            var failure = world.result(id).failure().orElseThrow();
            assertThat(failure.category()).isEqualTo(Failure.PERMANENT);
            assertThat(failure.message()).contains("handler of " + kind).contains("null");
            assertThat(world.view(id).attempts()).isEqualTo(1);
        }
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"}) // as callers without checks do
    private static <T> T nothing() {
        return null;
    }
}
