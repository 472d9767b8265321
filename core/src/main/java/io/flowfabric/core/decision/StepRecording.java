package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;

import java.time.Instant;
import java.util.List;

/** What recorded steps mean for the next one, for the next lease, and for those who read them. */
public final class StepRecording {
    private StepRecording() {}

    /** A step as a store has it, without its content: enough to know a repeat. */
    public record Recorded(Digest digest, int attempt, Instant at) {}

    /**
     * The answer to a checkpoint whose name is taken: the first one.
     *
     * @throws Conflict when the content is another one
     */
    public static Step repeated(Checkpoint checkpoint, Recorded first) {
        if (!first.digest.equals(checkpoint.digest())) {
            throw Conflicts.recordedDifferently(
                    checkpoint.fence().execution(), checkpoint.name(), first.attempt);
        }
        return new Step(checkpoint.name(), checkpoint.content(), first.attempt, first.at);
    }

    /**
     * Refuses a step that is one too many, or too large beside those that there are.
     *
     * @param steps how many there are
     * @param bytes how large they are together
     * @throws Invalid when it does not fit
     */
    public static void mustFit(Checkpoint checkpoint, int steps, long bytes) {
        Limit.STEPS.checkCount("steps", steps + 1);
        Limit.ALL_STEPS_BYTES.checkSize("steps", bytes + checkpoint.bytes(), "bytes");
    }

    /** Whether steps that are so large together come with a lease. */
    public static boolean comeWithLease(long bytes) {
        return bytes <= Lease.STEPS_BYTES;
    }

    /** A lease with the steps of its execution, if they are small enough. */
    public static Lease with(Lease lease, List<Step> steps) {
        return comeWithLease(steps.stream().mapToLong(Step::bytes).sum())
                ? lease.steps(steps)
                : lease.withStepsApart();
    }
}
