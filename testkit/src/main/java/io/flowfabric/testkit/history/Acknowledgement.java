package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;

/** Something that a client was told has happened. Whatever the client never heard is not one. */
public sealed interface Acknowledgement {
    ExecutionId execution();

    /** Between which moments the store must have done it. */
    Span span();

    /**
     * A moment at a client.
     *
     * @param tick grows with every moment of the run, so that of two moments it is known which came
     *     first although the store's clock stood still
     * @param at the store's clock
     */
    record Moment(long tick, Instant at) {}

    /** From just before a call to just after its answer. */
    record Span(Moment began, Moment ended) {
        /** Whether this call had been answered before the other began. */
        boolean before(Span other) {
            return ended.tick < other.began.tick;
        }
    }

    /**
     * Work was accepted.
     *
     * @param execution the execution that the answer named
     */
    record WorkAccepted(Span span, Submission submission, ExecutionId execution)
            implements Acknowledgement {}

    /** A worker got a lease. */
    record LeaseGiven(Span span, Lease lease) implements Acknowledgement {
        @Override
        public ExecutionId execution() {
            return lease.fence().execution();
        }
    }

    /** A report of progress was kept. */
    record ProgressKept(Span span, Progress report) implements Acknowledgement {
        @Override
        public ExecutionId execution() {
            return report.fence().execution();
        }
    }

    /** A step was recorded, now or before. */
    record StepKept(Span span, Checkpoint checkpoint, Step step) implements Acknowledgement {
        @Override
        public ExecutionId execution() {
            return checkpoint.fence().execution();
        }
    }

    /** A worker gave up its lease. */
    record LeaseEnded(Span span, Ending ending, Ended answer) implements Acknowledgement {
        @Override
        public ExecutionId execution() {
            return ending.fence().execution();
        }
    }

    /**
     * An operator acted. One whose answer was lost must be repeated until it is known: the checker
     * takes the results that operators were told about for all that they brought.
     */
    record ActDone(Span span, OperatorCommand act) implements Acknowledgement {
        @Override
        public ExecutionId execution() {
            return act.execution();
        }
    }
}
