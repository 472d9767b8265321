package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** What a handler sees of the members that its work comes after. */
@Timeout(60)
class UpstreamsTest {
    @Test
    void a_handler_has_what_those_before_it_produced() {
        var made = made(Payload.text("small"));

        assertThat(made.upstreams).extracting(Upstream::name).containsExactly("first");
        assertThat(made.first).contains(Payload.text("small"));
    }

    @Test
    void what_is_too_large_to_come_with_the_work_is_read() {
        var large = Payload.of(new byte[Lease.UPSTREAMS_BYTES + 1], "x/y");

        assertThat(made(large).first).contains(large);
    }

    private record Seen(List<Upstream> upstreams, Optional<Payload> first) {}

    private static Submission work(String kind) {
        return Submission.of(kind, Payload.EMPTY).lane("upstreams");
    }

    /** What the second member sees of the first. */
    private static Seen made(Payload result) {
        var seen = new AtomicReference<Seen>();
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var flow =
                    world.engine()
                            .flows()
                            .submit(
                                    FlowSubmission.of("two")
                                            .member("first", work("make"))
                                            .member("second", work("see"), "first"))
                            .id();
            var worker =
                    Worker.on(world.engine())
                            .name("maker")
                            .lane("upstreams")
                            .handle("make", task -> result)
                            .handle(
                                    "see",
                                    task -> {
                                        assertThatThrownBy(() -> task.upstream("third"))
                                                .isInstanceOf(NotFound.class);
                                        seen.set(
                                                new Seen(task.upstreams(), task.upstream("first")));
                                        return Payload.EMPTY;
                                    })
                            .start();
            Eventually.eventually(
                    "the flow has ended",
                    () ->
                            world.engine()
                                            .flows()
                                            .describe(List.of(flow))
                                            .getFirst()
                                            .orThrow()
                                            .state()
                                    == FlowState.COMPLETED);
            worker.stop();
        }
        return seen.get();
    }
}
