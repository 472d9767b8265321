package io.flowfabric;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Step;
import io.flowfabric.worker.Task;

import org.jspecify.annotations.Nullable;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The steps of an execution, as one run of its handler goes through them.
 *
 * <p>What earlier runs have recorded is met again in the same order, and only behind the last of it
 * is anything new recorded. So a handler that asks for something else than what comes next has
 * changed its order, and is told so instead of going on with steps that belong elsewhere.
 */
final class StepLog {
    /** What names of our own begin with. */
    static final String RESERVED = "ff.";

    private final Task task;
    private final Thread owner = Thread.currentThread();
    private final Set<String> asked = new HashSet<>();
    private @Nullable List<Step> recorded;
    private int met;
    private @Nullable String inside;

    StepLog(Task task) {
        this.task = task;
    }

    /** What was recorded before this run under the name that comes next; nothing when it is new. */
    Optional<Step> next(String name) {
        check(name);
        if (!asked.add(name)) {
            throw new StepMisused(
                    "The handler of %s uses the name %s twice. Give every step and wait a name of its own, in a loop with its number."
                            .formatted(task.kind(), name));
        }
        if (met == recorded().size()) {
            return Optional.empty();
        }
        var step = recorded().get(met);
        if (!step.name().equals(name)) {
            throw new StepMisused(
                    "The handler of %s asks for %s where an earlier run recorded %s. Steps and waits keep their order while work is running: use version(...) for what has changed, and replay this work."
                            .formatted(task.kind(), name, step.name()));
        }
        met++;
        return Optional.of(step);
    }

    /** Whether the run is behind everything that was recorded before it. */
    boolean atEnd() {
        return met == recorded().size();
    }

    /** What comes next of what was recorded, without asking for it. */
    Optional<Step> peek() {
        return atEnd() ? Optional.empty() : Optional.of(recorded().get(met));
    }

    /** A step of ours, wherever it stands. */
    Optional<Step> find(String name) {
        return recorded().stream().filter(step -> step.name().equals(name)).findFirst();
    }

    /** Records what comes next. */
    Step record(String name, Payload content) {
        return task.checkpoint(name, content);
    }

    /** Runs the body of a step, in which there can be no other step. */
    <T> T within(String name, Function<String, T> body) {
        inside = name;
        try {
            return body.apply(name);
        } finally {
            inside = null;
        }
    }

    private List<Step> recorded() {
        if (recorded == null) {
            recorded = task.steps();
        }
        return recorded;
    }

    private void check(String name) {
        if (inside != null) {
            throw new StepMisused(
                    "The handler of %s asks for %s inside of the step %s. A step is finished as a whole: call one after the other."
                            .formatted(task.kind(), name, inside));
        }
        if (!owner.equals(Thread.currentThread())) {
            throw new StepMisused(
                    "The handler of %s asks for %s from another thread than its own. Steps come one after the other; use awaitChildren(...) to do things at the same time."
                            .formatted(task.kind(), name));
        }
    }
}
