package io.flowfabric;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.TaskResult;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What a handler wants undone when its work fails for good.
 *
 * <p>That it fails, and what is to be undone, is recorded before the first thing is undone: from
 * then on no run of the handler goes further than the one that failed did. A run after a crash goes
 * through the recorded steps once more, by which it registers the same things again, and undoes
 * those that are left. One that fails on its way there is repeated, as an undo that fails is.
 *
 * <p>A replay of the work by an operator tries again what could not be undone, and nothing else:
 * what the steps did is gone, so that only a fresh replay begins anew.
 */
final class Compensations {
    private static final Logger LOG = LoggerFactory.getLogger(Compensations.class);
    private static final String FAILED = StepLog.RESERVED + "failed";
    private static final String UNDONE = StepLog.RESERVED + "undone ";
    private static final String TRIED = StepLog.RESERVED + "undo ";

    /** Under which tries to come to the undoing are counted; compensations are not called so. */
    private static final String ON_THE_WAY = StepLog.RESERVED + "way";

    private static final String MISSING = "The handler has not registered what is to be undone.";
    private static final int TRIES = 5;

    private record Undo(String name, DurableTask.StepAction action) {}

    /**
     * What was recorded of the failure.
     *
     * @param names what was registered when the work failed
     */
    private record Reason(Failure failure, Set<String> names) {
        Payload written() {
            return Payload.text(
                    String.join(
                            "\n", failure.category(), String.join("\t", names), failure.message()));
        }

        static Reason read(Payload written) {
            var parts = written.asText().split("\n", 3);
            return new Reason(
                    Failure.of(parts[0], parts[2]),
                    Set.copyOf(Arrays.asList(parts[1].split("\t"))));
        }
    }

    private final Task task;
    private final StepLog steps;
    private final Deque<Undo> registered = new ArrayDeque<>();
    private final Set<String> names = new LinkedHashSet<>();

    Compensations(Task task, StepLog steps) {
        this.task = task;
        this.steps = steps;
    }

    void register(String name, DurableTask.StepAction action) {
        steps.check(name);
        StepLog.refuseReserved(task, name);
        Text.name("compensation", tried(name, Integer.MAX_VALUE), Limit.NAME_BYTES);
        if (!names.add(name)) {
            throw new StepMisused(
                    "The handler of %s registers the compensation %s twice. Give each a name of its own."
                            .formatted(task.kind(), name));
        }
        registered.push(new Undo(name, action));
    }

    /** Whether nothing is left but to undo: the run has come to where an earlier one failed. */
    boolean reached() {
        return steps.peek().filter(next -> next.name().equals(FAILED)).isPresent();
    }

    /** Whether the work has failed in an earlier run. */
    boolean begun() {
        return steps.find(FAILED).isPresent();
    }

    /** Whether there is something to undo. */
    boolean any() {
        return !registered.isEmpty();
    }

    /**
     * Undoes everything, in reverse order, and says with which failure the work ends.
     *
     * @param thrown by the handler; why the work fails, unless it has failed before
     * @throws Unwinding when something could not be undone, and is tried again later
     */
    TaskFailure undo(@Nullable Throwable thrown) {
        Reason why;
        try {
            why = reason(thrown);
        } catch (Invalid full) {
            var failure = task.failure(thrown == null ? full : thrown);
            return ended(failure, thrown, List.copyOf(names));
        }
        if (!names.containsAll(why.names) && tries(ON_THE_WAY) < TRIES) {
            tryLater(ON_THE_WAY, thrown == null ? new StepMisused(MISSING) : thrown);
        }
        var left = new HashSet<>(why.names);
        for (var undo : registered) {
            if (left.contains(undo.name) && undone(undo)) {
                left.remove(undo.name);
            }
        }
        return ended(why.failure, thrown, left.stream().sorted().toList());
    }

    private static TaskFailure ended(
            Failure failure, @Nullable Throwable cause, List<String> left) {
        var words =
                left.isEmpty()
                        ? failure.message()
                        : failure.message() + "; could not be undone: " + String.join(", ", left);
        return cause == null
                ? new TaskFailure(failure.category(), words)
                : new TaskFailure(failure.category(), words, cause);
    }

    private Reason reason(@Nullable Throwable thrown) {
        var known = steps.find(FAILED);
        if (known.isPresent()) {
            return Reason.read(known.get().content());
        }
        var why =
                new Reason(
                        task.failure(
                                thrown == null ? new IllegalStateException("It failed.") : thrown),
                        names);
        steps.record(FAILED, why.written());
        return why;
    }

    /** Whether it is undone; not when that was tried in vain, too often. */
    private boolean undone(Undo undo) {
        if (steps.find(UNDONE + undo.name).isPresent()) {
            return true;
        }
        if (tries(undo.name) == TRIES) {
            return false;
        }
        try {
            steps.within(
                    "undoing " + undo.name,
                    () -> {
                        undo.action.run();
                        return undo;
                    });
        } catch (Throwable failed) {
            if (task.stopRequested()) {
                throw new Unwinding(undo.name, TaskResult.release());
            }
            LOG.warn("{} could not undo {}.", task, undo.name, failed);
            tryLater(undo.name, failed);
            return false;
        }
        record(UNDONE + undo.name, Payload.EMPTY);
        return true;
    }

    /** The name of a try; its number has no blank, so no other name can look like it. */
    private String tried(String name, int before) {
        return "%s%d.%d %s".formatted(TRIED, task.attempt(), before, name);
    }

    /** How often that was tried in vain in this attempt. */
    private int tries(String name) {
        int tries = 0;
        while (steps.find(tried(name, tries)).isPresent()) {
            tries++;
        }
        return tries;
    }

    /**
     * Leaves the run, to try once more after a while.
     *
     * <p>It returns only when there is no room left to count tries; there are no more of them then
     */
    private void tryLater(String name, Throwable why) {
        int before = tries(name);
        if (record(tried(name, before), Payload.text(task.failure(why).message()))) {
            throw new Unwinding(name, TaskResult.delay(Due.in(Backoff.DEFAULT.delay(before))));
        }
    }

    /** Whether the store had room for it; what it has no room for is done all the same. */
    private boolean record(String name, Payload content) {
        try {
            steps.record(name, content);
            return true;
        } catch (Invalid full) {
            LOG.warn("{} has no room for {}.", task, name, full);
            return false;
        }
    }
}
