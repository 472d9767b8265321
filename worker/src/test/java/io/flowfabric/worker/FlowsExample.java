package io.flowfabric.worker;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;

import java.util.stream.Collectors;

/** The code that docs/flows.md shows; {@link FlowsPageTest} compares, and runs it. */
final class FlowsExample {
    // [PAGE
    Worker studio(Engine engine) {
        return Worker.on(engine)
                .name("studio")
                .lane("media")
                .handle("transcode", task -> Payload.text(task.input().asText() + ".mp4"))
                .handle("caption", task -> Payload.text(task.input().asText() + ".vtt"))
                .handle("release", task -> Payload.text("released " + made(engine, task)))
                .start();
    }

    /** A film is transcoded in two places and captioned; the faster transcoding is taken. */
    FlowId publish(Engine engine, String film) {
        return engine.flows()
                .submit(
                        FlowSubmission.of("publish")
                                .key("publish-" + film)
                                .member("here", work("transcode", film))
                                .member("there", work("transcode", film))
                                .member(
                                        "video",
                                        work("transcode", film),
                                        Join.anyOf(),
                                        "here",
                                        "there")
                                .member("captions", work("caption", film))
                                .member("release", work("release", film), "video", "captions"))
                .id();
    }

    Submission work(String kind, String film) {
        return Submission.of(kind, Payload.text(film)).lane("media");
    }

    /** What the members before this one have produced. */
    String made(Engine engine, Task task) {
        var member = task.fence().execution();
        return engine.flows().upstreams(member, Cursor.START, 100).items().stream()
                .map(Upstream::result)
                .map(result -> result.orElseThrow().asText())
                .collect(Collectors.joining(" with "));
    }
    // PAGE]
}
