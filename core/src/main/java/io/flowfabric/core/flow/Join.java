package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;

import java.util.Objects;
import java.util.Optional;

/**
 * How many of the members that a member comes after it needs, and what becomes of those that it
 * does not need any more.
 *
 * @param quorum how many; all of them without it
 * @param remaining what becomes of the others once there are enough, or cannot be
 */
public record Join(Optional<Integer> quorum, Remaining remaining) {
    /** All of them; when one cannot be had, the others go on. */
    public static final Join ALL_OF = new Join(Optional.empty(), Remaining.LET_RUN);

    /** What becomes of members that are not needed any more. */
    public enum Remaining {
        /** They are skipped, unless another member that still waits comes after them. */
        CANCEL,
        /** They go on. */
        LET_RUN
    }

    public Join {
        quorum.ifPresent(k -> Limit.FLOW_MEMBERS.checkRange("quorum", 1, k));
        Objects.requireNonNull(remaining, "remaining");
    }

    /** Any one of them; the others are not needed any more, and are skipped. */
    public static Join anyOf() {
        return quorum(1);
    }

    /** So many of them; the others are not needed any more, and are skipped. */
    public static Join quorum(int k) {
        return new Join(Optional.of(k), Remaining.CANCEL);
    }

    /** This join, after which the others go on. */
    public Join letRun() {
        return new Join(quorum, Remaining.LET_RUN);
    }

    /** This join, after which the others are skipped. */
    public Join cancelRemaining() {
        return new Join(quorum, Remaining.CANCEL);
    }

    /** How many it takes, of so many. */
    public int needed(int edges) {
        return quorum.orElse(edges);
    }

    /** The join in words: {@code all of}, {@code 2 of}. */
    public String words() {
        return quorum.map(k -> k + " of").orElse("all of");
    }

    void digest(Digest.Builder digest) {
        digest.number(quorum.orElse(0)).text(remaining.name());
    }
}
