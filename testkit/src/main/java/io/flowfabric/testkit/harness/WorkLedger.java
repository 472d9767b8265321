package io.flowfabric.testkit.harness;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.submit.Submission;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All work of a run: what a submitter tried to submit, and what was accepted. Any thread may write.
 */
final class WorkLedger {
    private final Set<ExecutionId> tried = new LinkedHashSet<>();
    private final List<Submission> accepted = new ArrayList<>();
    private final List<FlowId> flows = new ArrayList<>();
    private final Names names;

    WorkLedger(Names names) {
        this.names = names;
    }

    synchronized void tried(Submission submission) {
        tried.add(submission.id());
        names.name(submission.id());
    }

    synchronized void accepted(Submission submission) {
        accepted.add(submission);
    }

    synchronized void accepted(FlowId flow) {
        flows.add(flow);
    }

    /** All flows that were accepted. */
    synchronized List<FlowId> flows() {
        return List.copyOf(flows);
    }

    /** Every id that was ever used, whatever came of it. */
    synchronized List<ExecutionId> ids() {
        return List.copyOf(tried);
    }

    /** An accepted submission, counted from the newest, modulo how many there are. */
    synchronized Optional<Submission> recent(int back) {
        return accepted.isEmpty()
                ? Optional.empty()
                : Optional.of(accepted.get(accepted.size() - 1 - back % accepted.size()));
    }
}
