package io.flowfabric.worker;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** The code that docs/capabilities.md shows; {@link CapabilitiesPageTest} compares, and runs it. */
final class CapabilitiesExample {
    private final CountDownLatch rendered = new CountDownLatch(1);

    ExecutionId run(Engine engine) throws InterruptedException {
        // [PAGE
        var worker =
                Worker.on(engine)
                        .name("renderer")
                        .lane("films")
                        .offers("gpu", "region=eu", "torch=2.3.1+cu121")
                        .handle("render", this::render)
                        .start();

        var needs = Capabilities.of("gpu", "torch>=2.3", "torch<3");
        var film =
                Submission.of("render", Payload.text("film-7"))
                        .lane(Lane.of("films"))
                        .policy(Policy.DEFAULT.needs(needs));
        engine.submissions().submit(List.of(film));
        // PAGE]
        rendered.await();
        worker.stop();
        return film.id();
    }

    private Payload render(Task task) {
        rendered.countDown();
        return task.input();
    }
}
