package io.flowfabric.testkit.contract;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.IdSource;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;

import java.util.function.Supplier;

/** The words that tests begin with. */
final class Given {
    private Given() {}

    /** Ordinary work, not yet submitted. */
    static Submission work() {
        return Submission.of("job", Payload.text("input"));
    }

    static Submission work(Policy policy) {
        return work().policy(policy);
    }

    /** Work that no store has heard of. */
    static ExecutionId unknown() {
        return ExecutionId.mint();
    }

    /** A new id that lives in a partition. */
    static ExecutionId idIn(int partition) {
        return IdSource.SYSTEM.execution(new Partition(partition));
    }

    static ExecutionId idOf(Lease lease) {
        return lease.fence().execution();
    }

    /** A call that throws what it refuses, as an answer. */
    static <T> Answer<T> asked(Supplier<T> call) {
        try {
            return Answer.done(call.get());
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }
}
