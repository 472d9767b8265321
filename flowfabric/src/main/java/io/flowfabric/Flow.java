package io.flowfabric;

import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * A graph of work to be submitted as a whole.
 *
 * <pre>{@code
 * import static io.flowfabric.Flow.after;
 *
 * fabric.submit(Flow.of("publish")
 *         .task("video", TRANSCODE.with(film))
 *         .task("captions", CAPTION.with(film))
 *         .task("release", RELEASE.with(film), after("video", "captions")));
 * }</pre>
 */
public final class Flow {
    private record Task(String name, Work<?> work, After after) {}

    private final String kind;
    private final @Nullable Object input;
    private final Optional<String> key;
    private final UnaryOperator<FlowSubmission> more;
    private final List<Task> tasks;

    private Flow(
            String kind,
            @Nullable Object input,
            Optional<String> key,
            UnaryOperator<FlowSubmission> more,
            List<Task> tasks) {
        this.kind = kind;
        this.input = input;
        this.key = key;
        this.more = more;
        this.tasks = tasks;
    }

    /**
     * What a task of a flow comes after.
     *
     * @param names of tasks of the same flow
     * @param join how many of them it needs
     */
    public record After(List<String> names, Join join) {
        public After {
            names = List.copyOf(names);
        }
    }

    /** After the success of all of these. */
    public static After after(String... names) {
        return new After(List.of(names), Join.ALL_OF);
    }

    /** After the success of any one of these; the others are not needed any more, and cancelled. */
    public static After afterAny(String... names) {
        return new After(List.of(names), Join.anyOf());
    }

    /** After the success of so many of these; the others are not needed any more, and cancelled. */
    public static After afterQuorum(int count, String... names) {
        return new After(List.of(names), Join.quorum(count));
    }

    /** A flow without tasks yet. */
    public static Flow of(String kind) {
        return new Flow(kind, null, Optional.empty(), same -> same, List.of());
    }

    /** This flow with one task more, which begins at once. */
    public Flow task(String name, Work<?> work) {
        return task(name, work, after());
    }

    /** This flow with one task more, which comes after others. */
    public Flow task(String name, Work<?> work, After after) {
        var all = new ArrayList<>(tasks);
        all.add(new Task(name, work, after));
        return new Flow(kind, input, key, more, List.copyOf(all));
    }

    /** This flow with an input of its own. */
    public Flow input(Object value) {
        return new Flow(kind, value, key, more, tasks);
    }

    /** This flow under a key: the same key with the same content again is the same flow. */
    public Flow key(String text) {
        return new Flow(kind, input, Optional.of(text), more, tasks);
    }

    /** This flow with one tag more. */
    public Flow tag(String name, String value) {
        return with(flow -> flow.tag(name, value));
    }

    /**
     * This flow with another policy: what becomes of it when a task fails, its budget, its quota.
     */
    public Flow policy(UnaryOperator<FlowPolicy> change) {
        return with(flow -> flow.policy(change.apply(flow.policy())));
    }

    private Flow with(UnaryOperator<FlowSubmission> change) {
        return new Flow(kind, input, key, flow -> change.apply(more.apply(flow)), tasks);
    }

    FlowSubmission submission(FlowFabric fabric) {
        var flow = FlowSubmission.of(fabric.namespace(), kind);
        if (key.isPresent()) {
            flow = flow.key(key.get());
        }
        if (input != null) {
            flow = flow.input(fabric.codec().encode(input));
        }
        for (var task : tasks) {
            flow =
                    flow.member(
                            task.name,
                            fabric.submission(task.work),
                            task.after.join,
                            task.after.names.toArray(String[]::new));
        }
        return more.apply(flow);
    }

    @Override
    public String toString() {
        return "The flow " + kind;
    }
}
