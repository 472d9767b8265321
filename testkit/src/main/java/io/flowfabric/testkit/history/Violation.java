package io.flowfabric.testkit.history;

/**
 * A promise that a run broke.
 *
 * @param subject the execution or the session that shows it, or what was counted
 * @param explanation what is wrong; where an execution is, followed by its whole history
 */
public record Violation(Kind kind, String subject, String explanation) {

    /** Which promise. */
    public enum Kind {
        /** Accepted work is missing, or was left lying when everything should have been done. */
        LOST_WORK,
        /** A step was recorded a second time, without a replay in between. */
        RECORDED_TWICE,
        /** A write was acknowledged and left no trace. */
        LOST_WRITE,
        /** A lease was acknowledged that the history does not have. */
        UNRECORDED_LEASE,
        /** An execution ended, and ended again without a replay in between. */
        FINISHED_TWICE,
        /** A worker wrote with a lease that was not, or no longer, its own. */
        STALE_WRITE,
        /** A lease did not get an epoch of its own, one more than the last. */
        EPOCH_NOT_RISING,
        /** The attempts went down, or up without a retry or a replay. */
        ATTEMPT_MISCOUNTED,
        /** A lease was given, and nothing ended it before the execution went on. */
        LEASE_NEVER_ENDED,
        /** A lease ended that was not open any more, or in two ways. */
        LEASE_ENDED_TWICE,
        /** A lease was ended in the name of a session that did not hold it. */
        LEASE_ENDED_BY_ANOTHER,
        /** Something other than a replay happened after the end. */
        AFTER_THE_END,
        /** The transition table has no such step. */
        IMPOSSIBLE_STEP,
        /** A later step has an earlier time. */
        TIME_WENT_BACK,
        /** Work that waited for a time went on before it. */
        WOKEN_EARLY,
        /** Two sessions held it at once. */
        TWO_HOLDERS,
        /** What is there at the end does not follow from what happened. */
        FINAL_STATE,
        /** The result is not the one that was acknowledged. */
        WRONG_RESULT,
        /** A session wrote, renewed or was given a lease after its death. */
        WRITE_AFTER_DEATH,
        /** More ran at once, or more was started within a window, than a quota allows. */
        QUOTA_EXCEEDED,
        /** Work started that draws on a budget whose hard limit had been reached. */
        BUDGET_EXCEEDED,
        /** What a store counts at the end is not what is there. */
        MISCOUNTED,
        /** Work that could have gone on did so much later, although no fault was on. */
        LATE,
        /** Work was taken before other work of its lane that goes first. */
        OUT_OF_ORDER,
        /** A lane got more than its share of a claim, and another less. */
        OUT_OF_TURN
    }

    @Override
    public String toString() {
        return "%s of %s: %s".formatted(kind, subject, explanation);
    }
}
