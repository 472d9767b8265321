package io.flowfabric;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskFailure;
import io.flowfabric.worker.TaskResult;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * What a handler wants undone when its work fails for good.
 *
 * <p>That it fails is recorded before the first thing is undone: from then on no run of the handler
 * goes further than the one that failed did. A run after a crash goes through the recorded steps
 * once more, by which it registers the same things again, and undoes those that are left.
 */
final class Compensations {
    private static final String FAILED = StepLog.RESERVED + "failed";
    private static final String UNDO = StepLog.RESERVED + "undo ";
    private static final int TRIES = 5;

    private record Undo(String name, DurableTask.StepAction action) {}

    private final Task task;
    private final StepLog steps;
    private final Deque<Undo> registered = new ArrayDeque<>();
    private final Set<String> names = new HashSet<>();

    Compensations(Task task, StepLog steps) {
        this.task = task;
        this.steps = steps;
    }

    void register(String name, DurableTask.StepAction action) {
        Text.name("compensation", UNDO + name + " 1", Limit.NAME_BYTES);
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

    /** Whether there is something to undo. */
    boolean any() {
        return !registered.isEmpty();
    }

    /**
     * Undoes everything, in reverse order, and says with which failure the work ends.
     *
     * @param failure why; what was recorded of it counts if there is something
     * @throws Unwinding when something could not be undone, and is tried again later
     */
    TaskFailure undo(Throwable failure) {
        var why = reason(failure);
        var left = new ArrayList<String>();
        for (var undo : registered) {
            undo(undo, left);
        }
        var words = why.message();
        return new TaskFailure(
                why.category(),
                left.isEmpty()
                        ? words
                        : words + "; could not be undone: " + String.join(", ", left),
                failure);
    }

    private Failure reason(Throwable thrown) {
        var known = steps.find(FAILED);
        if (known.isPresent()) {
            var parts = known.get().content().asText().split("\n", 2);
            return Failure.of(parts[0], parts.length > 1 ? parts[1] : "");
        }
        var failure = task.failure(thrown);
        steps.record(FAILED, Payload.text(failure.category() + "\n" + failure.message()));
        return failure;
    }

    private void undo(Undo undo, List<String> left) {
        if (steps.find(UNDO + undo.name).isPresent()) {
            return;
        }
        int tries = 0;
        while (steps.find(UNDO + undo.name + " " + (tries + 1)).isPresent()) {
            tries++;
        }
        if (tries == TRIES) {
            left.add(undo.name);
            return;
        }
        try {
            undo.action.run();
        } catch (Exception failed) {
            if (task.stopRequested()) {
                throw new Unwinding(undo.name, TaskResult.release());
            }
            var again = UNDO + undo.name + " " + (tries + 1);
            steps.record(again, Payload.text(String.valueOf(failed.getMessage())));
            throw new Unwinding(undo.name, TaskResult.delay(Due.in(Backoff.DEFAULT.delay(tries))));
        }
        steps.record(UNDO + undo.name, Payload.EMPTY);
    }
}
