package io.flowfabric;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;
import io.flowfabric.core.lease.Step;
import io.flowfabric.worker.Task;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;

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

    private static final Duration SOONEST = Duration.ofMillis(10);
    private static final Duration LATEST = Duration.ofSeconds(1);

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
        Text.name("step", name, Limit.NAME_BYTES);
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

    /**
     * Records what comes next. What it is about has happened already, so while the store is away
     * that is repeated, for as long as the lease may be held: to fail would be to do it again.
     */
    Step record(String name, Payload content) {
        boolean interrupted = false;
        try {
            for (var pause = SOONEST; ; pause = longer(pause)) {
                try {
                    return task.checkpoint(name, content);
                } catch (FlowFabricException away) {
                    if (away.advice() != Advice.REPEAT_LATER || task.stopRequested()) {
                        throw away;
                    }
                }
                interrupted |= Thread.interrupted();
                LockSupport.parkNanos(pause.toNanos());
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static Duration longer(Duration pause) {
        var twice = pause.multipliedBy(2);
        return twice.compareTo(LATEST) < 0 ? twice : LATEST;
    }

    /** The body of a step. */
    interface Body<T extends @Nullable Object, X extends Exception> {
        T run() throws X;
    }

    /** Runs the body of a step, in which there can be no other step. */
    <T extends @Nullable Object, X extends Exception> T within(String name, Body<T, X> body)
            throws X {
        inside = name;
        try {
            return body.run();
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

    /** Refuses a name of our own. */
    static void refuseReserved(Task task, String name) {
        if (name.startsWith(RESERVED)) {
            throw new StepMisused(
                    "The handler of %s uses the name %s; names that begin with ff. are reserved."
                            .formatted(task.kind(), name));
        }
    }

    /** Refuses what is asked for inside of a step, or by another thread. */
    void check(String name) {
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
