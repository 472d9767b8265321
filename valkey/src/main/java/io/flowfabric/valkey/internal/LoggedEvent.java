package io.flowfabric.valkey.internal;

import io.flowfabric.core.Tags;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.UUID;

/**
 * An event as the log keeps it.
 *
 * @param number of its entry
 * @param index of the event in the entry
 */
record LoggedEvent(long number, int index, Item packed) {
    static final int STEP = 0;
    private static final int OTHER = 1;
    private static final int RENEWAL = 2;
    private static final int BUDGET_REACHED = 3;

    /** What is left of an event that was erased. */
    static final int GONE = 4;

    private static final int DRIFTED = 5;
    private static final int RENEWAL_OF_PART = 6;
    private static final int OTHER_OF_PART = 7;
    private static final int STEP_RECORDED = 8;

    /** Steps of many executions, which are only stored like that. */
    static final int STEPS = 9;

    private static final int SIGNAL_RECEIVED = 10;
    private static final int WAITPOINT_CLOSED = 11;

    /**
     * Whether it is about the part of a session that lies in this partition. What is told of such
     * sessions is told once, by the main partition; here it is only for histories.
     */
    boolean isOfPart() {
        return kind() == RENEWAL_OF_PART || kind() == OTHER_OF_PART;
    }

    /** Whether an execution took a step. */
    boolean isStep() {
        return kind() == STEP;
    }

    /** Whether a worker recorded a step of its execution. */
    boolean isRecordedStep() {
        return kind() == STEP_RECORDED;
    }

    /** Whether an execution received a signal. */
    boolean isSignal() {
        return kind() == SIGNAL_RECEIVED;
    }

    /** Whether an operator closed a waitpoint of an execution. */
    boolean isClosedWaitpoint() {
        return kind() == WAITPOINT_CLOSED;
    }

    /** Whether it is about an execution. */
    boolean isOfExecution() {
        return isStep() || isRecordedStep() || isSignal() || isClosedWaitpoint();
    }

    /** Whether a session showed a sign of life. */
    boolean isRenewal() {
        return kind() == RENEWAL || kind() == RENEWAL_OF_PART;
    }

    /** Whether it was decided by a program, and says itself what it is. */
    boolean isOther() {
        return kind() == OTHER || kind() == OTHER_OF_PART;
    }

    /** Whether a limit of a budget was reached. */
    boolean isBudgetReached() {
        return kind() == BUDGET_REACHED;
    }

    /** Whether a count was wrong, and was put right. */
    boolean isDrift() {
        return kind() == DRIFTED;
    }

    /** The tags that it has itself, of one that was decided by a program. */
    Tags tags() {
        return packed.list().size() > 2
                ? Item.decoded(() -> SubmissionRecord.tagsOf(packed.at(2)))
                : Tags.NONE;
    }

    private int kind() {
        return packed.at(0).small();
    }

    /** The execution that it is about, or the session that showed a sign of life. */
    UUID subject() {
        return packed.at(1).uuid();
    }
}
