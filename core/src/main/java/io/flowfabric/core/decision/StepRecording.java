package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.store.Chunks;

import java.nio.ByteBuffer;
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

    /** How many steps are before the first one of a page. */
    public static int before(Cursor cursor) {
        if (cursor.equals(Cursor.START)) {
            return 0;
        }
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != Integer.BYTES) {
            throw Cursor.malformed();
        }
        int before = ByteBuffer.wrap(position).getInt();
        if (before < 0) {
            throw Cursor.malformed();
        }
        return before;
    }

    /**
     * A page of steps.
     *
     * @param before how many steps are before the first one
     * @param found from there on, perhaps more than a page holds
     * @param max how many it may hold
     * @param more whether there are others behind those
     */
    public static Page<Step> page(int before, List<Step> found, int max, boolean more) {
        int count = 0;
        long bytes = 0;
        for (Step step : found) {
            if (!Chunks.fits(count, max, bytes, step.bytes())) {
                return new Page<>(found.subList(0, count), cursor(before + count));
            }
            count++;
            bytes += step.bytes();
        }
        return new Page<>(found, more ? cursor(before + count) : Cursor.END);
    }

    private static Cursor cursor(int before) {
        return Cursor.at(
                Cursor.Purpose.LISTING, ByteBuffer.allocate(Integer.BYTES).putInt(before).array());
    }
}
