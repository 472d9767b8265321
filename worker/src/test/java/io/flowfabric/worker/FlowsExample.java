package io.flowfabric.worker;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberFilter;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The code that docs/flows.md shows; {@link FlowsPageTest} compares, and runs it; {@link
 * FlowDiagramsPageTest} draws what comes of it.
 */
final class FlowsExample {
    // [PAGE
    Worker studio(Engine engine) {
        return Worker.on(engine)
                .name("studio")
                .lane("media")
                .handle("transcode", task -> Payload.text(task.input().asText() + ".mp4"))
                .handle("caption", task -> Payload.text(task.input().asText() + ".vtt"))
                .handle("release", task -> Payload.text("released " + made(task)))
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
    String made(Task task) {
        var video = task.upstream("video").orElseThrow().asText();
        var captions = task.upstream("captions").orElseThrow().asText();
        return video + " with " + captions;
    }

    // PAGE]

    // [PAGE
    /** Whatever becomes of the loading, it is reported. */
    FlowId nightly(Engine engine) {
        return engine.flows()
                .submit(
                        FlowSubmission.of("nightly")
                                .graph(
                                        List.of(
                                                Member.of("export", work("export", "sales")),
                                                Member.of("load", work("load", "sales")),
                                                Member.of("report", work("report", "sales"))),
                                        List.of(
                                                Edge.of("export", "load"),
                                                new Edge("load", "report", Edge.On.COMPLETION))))
                .id();
    }

    // PAGE]

    // [PAGE
    Worker author(Engine engine) {
        return Worker.on(engine)
                .name("author")
                .lane("media")
                .concurrency(1)
                .handleWithResult("book", task -> book(engine, task))
                .handle("chapter", task -> Payload.EMPTY)
                .start();
    }

    /** A book waits for its chapters; when they are done, this runs again from the top. */
    TaskResult book(Engine engine, Task task) {
        var chapters =
                FlowSubmission.of(task.lane().namespace(), "chapters")
                        .member("one", work("chapter", "1"))
                        .member("two", work("chapter", "2"), "one")
                        .below(task.fence().execution(), "chapters");
        var id = engine.flows().submit(chapters).id();
        var flow = engine.flows().describe(List.of(id)).getFirst().orThrow();
        return flow.state().ended()
                ? TaskResult.complete(Payload.text(flow.tally().succeeded() + " chapters"))
                : TaskResult.await(id);
    }

    // PAGE]

    // [PAGE
    /** Where the time went: a line for each member that decided when the flow ended. */
    String whereTheTimeWent(Engine engine, FlowId flow, Instant now) {
        return engine.flows().criticalPath(flow).stages().stream()
                .map(
                        stage ->
                                "%s waited %d s and took %d s"
                                        .formatted(
                                                stage.member().name(),
                                                stage.waited(now).toSeconds(),
                                                stage.took(now).toSeconds()))
                .collect(Collectors.joining("\n"));
    }

    /** The names of members that begin so, and wait for others. */
    List<String> waiting(Engine engine, FlowId flow, String prefix) {
        var filter = MemberFilter.ALL.prefix(prefix).states(PublicState.WAITING_CHILDREN);
        var names = new ArrayList<String>();
        for (var at = Cursor.START; !at.equals(Cursor.END); ) {
            var page = engine.flows().search(flow, filter, at, 100);
            page.items().forEach(member -> names.add(member.name()));
            at = page.next();
        }
        return names;
    }
    // PAGE]
}
