package io.flowfabric.examples;

import static io.flowfabric.Flow.after;
import static io.flowfabric.examples.Story.claim;

import io.flowfabric.Flow;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/** A film is probed, made in two sizes, captioned, packed and released: a graph of work. */
final class MediaPipeline {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    record Film(String title, int minutes) {}

    record Size(String title, int lines) {}

    private static final Kind<String, Film> PROBE = kind("probe", String.class, Film.class);
    private static final Kind<Integer, Size> TRANSCODE =
            kind("transcode", Integer.class, Size.class).timeout(Duration.ofHours(2));
    private static final Kind<String, String> CAPTION = kind("caption", String.class, String.class);
    private static final Kind<String, String> PACK = kind("pack", String.class, String.class);
    private static final Kind<String, String> RELEASE = kind("release", String.class, String.class);

    private MediaPipeline() {}

    static void run(FlowFabric fabric, PrintStream out) throws Exception {
        var worker =
                fabric.worker("studio")
                        .concurrency(4)
                        .on(PROBE, (task, file) -> new Film(file.replace(".mov", ""), 94))
                        .on(
                                TRANSCODE,
                                (task, lines) -> {
                                    var film = task.upstream("probe", Film.class).orElseThrow();
                                    task.progress(
                                            50, "half of %d minutes".formatted(film.minutes()));
                                    out.println("made in %d lines".formatted(lines));
                                    return new Size(film.title(), lines);
                                })
                        .on(
                                CAPTION,
                                (task, language) -> {
                                    if (task.attempt() == 1) {
                                        out.println(
                                                "captions fail once, and are tried again alone");
                                        throw new IllegalStateException("no interpreter");
                                    }
                                    return "captions in " + language;
                                })
                        .on(
                                PACK,
                                (task, format) -> {
                                    var large = task.upstream("large", Size.class).orElseThrow();
                                    var small = task.upstream("small", Size.class).orElseThrow();
                                    return "%s of %d and %d lines with %s"
                                            .formatted(
                                                    format,
                                                    large.lines(),
                                                    small.lines(),
                                                    task.upstream("captions", String.class)
                                                            .orElseThrow());
                                })
                        .on(
                                RELEASE,
                                (task, title) ->
                                        title
                                                + " is out as "
                                                + task.upstream("pack", String.class).orElseThrow())
                        .start();

        var flow =
                fabric.submit(
                        Flow.of("publish")
                                .task("probe", PROBE.with("Metropolis.mov"))
                                .task("large", TRANSCODE.with(2160), after("probe"))
                                .task("small", TRANSCODE.with(720), after("probe"))
                                .task("captions", CAPTION.with("Dutch"), after("probe"))
                                .task("pack", PACK.with("MP4"), after("large", "small", "captions"))
                                .task("release", RELEASE.with("Metropolis"), after("pack")));

        claim(out, flow.await(A_MINUTE) == FlowState.COMPLETED, "the flow has completed");
        var said = flow.result("release", String.class).orElseThrow();
        claim(
                out,
                said.equals(
                        "Metropolis is out as MP4 of 2160 and 720 lines with captions in Dutch"),
                said);
        for (var name : List.of("large", "small")) {
            int attempts = flow.task(name, Size.class).describe().attempts();
            claim(out, attempts == 1, name + " was made once");
        }
        int attempts = flow.task("captions", String.class).describe().attempts();
        claim(out, attempts == 2, "the captions took two attempts");
        out.println("as Mermaid, to be drawn:");
        flow.diagram().lines().limit(4).forEach(line -> out.println("  " + line));
        out.println("  ...");
        worker.stop();
    }

    private static <I, O> Kind<I, O> kind(String name, Class<I> input, Class<O> result) {
        return Kind.of(name, input, result)
                .lane("media")
                .retry(Retry.retries(3).backoff(Backoff.fixed(Duration.ofMillis(100))));
    }
}
