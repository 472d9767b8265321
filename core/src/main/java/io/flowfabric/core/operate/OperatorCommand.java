package io.flowfabric.core.operate;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;

/**
 * What an operator can do to an execution. Each takes a running lease away from its worker where
 * there is one.
 */
public sealed interface OperatorCommand {
    /** The execution that the command is for. */
    ExecutionId execution();

    /** How large it is, roughly, where that can be much: its result, or the detail of a failure. */
    default long bytes() {
        return 0;
    }

    /** Ends it as cancelled. */
    record Cancel(ExecutionId execution) implements OperatorCommand {}

    /** Ends it as a success, with a result from outside. */
    record Complete(ExecutionId execution, Payload result) implements OperatorCommand {
        public Complete {
            Limit.RESULT_BYTES.checkSize("result", result.size(), "bytes");
        }

        @Override
        public long bytes() {
            return result.size();
        }
    }

    /** Ends it as failed, without a retry. */
    record Fail(ExecutionId execution, Failure failure) implements OperatorCommand {
        @Override
        public long bytes() {
            return failure.detail().length();
        }
    }

    /** Holds it back until it is resumed. A delay that it had goes on meanwhile. */
    record Pause(ExecutionId execution) implements OperatorCommand {}

    /** Lifts what holds it back: a pause first; where there is none, a delay or a suspension. */
    record Resume(ExecutionId execution) implements OperatorCommand {}

    /** Takes the lease, or the grant, away from its worker; the work returns to the queue. */
    record Revoke(ExecutionId execution) implements OperatorCommand {}

    /** Changes its place in the queue. */
    record Reprioritise(ExecutionId execution, int priority) implements OperatorCommand {
        public Reprioritise {
            Limit.PRIORITY.checkRange("priority", 0, priority);
        }
    }

    /**
     * Runs it again after its end, as a new attempt with all of its retries.
     *
     * @param fresh whether it begins without the steps that were recorded, and does them all again
     */
    record Replay(ExecutionId execution, boolean fresh) implements OperatorCommand {
        /** A replay that goes on behind the steps that were recorded. */
        public Replay(ExecutionId execution) {
            this(execution, false);
        }
    }
}
